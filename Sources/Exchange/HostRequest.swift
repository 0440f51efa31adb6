/// A command with its owner and number. The host performs each number once.
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
