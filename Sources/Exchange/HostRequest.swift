/// One command with who asked and its number. The host performs a number once.
package struct HostRequest: Equatable, Sendable {
  package var owner: OwnerID
  package var id: OperationID
  package var command: HostCommand

  package init(owner: OwnerID = .run, id: OperationID, command: HostCommand) {
    self.owner = owner
    self.id = id
    self.command = command
  }
}
