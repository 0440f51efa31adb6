import Exchange
import Packets
import Vocabulary

/// The combination of all requests for the radio.
extension RadioArbiter {
  func isLinked(_ peer: Address) -> Bool { links.contains { $0.peer == peer } }

  /// Whether a link is waiting for its peer's first packet, so that no scan may start.
  var isEstablishing: Bool { links.contains { $0.role == .central && $0.isEstablishing } }

  /// The requested peers without a link, ascending.
  func wanted(_ isIncluded: (RequestedConnection) -> Bool) -> [Address] {
    var list: [Address] = []
    for request in requestedConnections where isIncluded(request) && !isLinked(request.peer) { list.append(request.peer) }
    list.sort()
    // A peer may be requested many times.
    var unique: [Address] = []
    for peer in list where unique.last != peer { unique.append(peer) }
    return unique
  }

  // Loops over indices, because these run often and requests and scans are expensive to copy.

  var hasWanted: Bool { requestedConnections.indices.contains { !isLinked(requestedConnections[$0].peer) } }

  /// The combined needs of all scans, read in one pass because clients may have thousands.
  struct ScanDemand {
    /// Whether there is a scan other than spare ones.
    var hasScans = false
    var isFull = false
    var isCoded = false
    /// Whether there is a scan for any device.
    var isBroad = false
    var isBroadWhenSpare = false

    /// Whether every scan that counts has a list of devices.
    var namesAll: Bool { !isBroad && (hasScans || !isBroadWhenSpare) }
  }

  var scanDemand: ScanDemand {
    var demand = ScanDemand()
    for index in scans.indices {
      let isBroad = scans[index].request.addresses.isEmpty
      switch scans[index].request.duty {
      case .spare:
        demand.isBroadWhenSpare = demand.isBroadWhenSpare || isBroad
        continue
      case .full: demand.isFull = true
      case .coded: demand.isCoded = true
      case .gentle: break
      }
      demand.hasScans = true
      demand.isBroad = demand.isBroad || isBroad
    }
    return demand
  }

  /// Whether a connection requests the LE Coded PHY.
  var requestsCodedPHY: Bool { requestedConnections.indices.contains { requestedConnections[$0].request.coded } }

  func isUrgent(_ peer: Address) -> Bool { attempts.contains { $0.peer == peer && $0.isUrgent } }

  func acceptListCapacity(_ surroundings: RadioSurroundings) -> Int {
    let size = surroundings.facts.acceptListSize > 0 ? surroundings.facts.acceptListSize : HostLimits.assumedAcceptList
    return max(1, min(size, radio.acceptListLimit ?? size))
  }

  var isFull: Bool { linkLimit.map { links.count >= $0 } ?? false }

  /// The plan to initiate without regard to scans.
  func desiredPlan(_ surroundings: RadioSurroundings) -> InitiatorPlan? {
    if surroundings.isClosing || isFull { return nil }
    let direct = wanted { !$0.request.pending || isUrgent($0.peer) }
    let pending = wanted { $0.request.pending && !isUrgent($0.peer) }
    if pending.isEmpty, direct.count == 1, addresses(of: direct[0], surroundings) == direct {
      return InitiatorPlan(targets: direct, useList: false, isFull: true, isCoded: isSoughtCoded(direct))
    }
    if pending.isEmpty, direct.isEmpty { return nil }
    let capacity = acceptListCapacity(surroundings)
    var chosen = Array(direct.prefix(capacity))
    let room = capacity - chosen.count
    if pending.count <= room {
      chosen += pending
    } else {
      for offset in 0..<room { chosen.append(pending[(radio.rotation + offset) % pending.count]) }
    }
    var targets: [Address] = []
    for address in chosen.flatMap({ addresses(of: $0, surroundings).reversed() }) where targets.count < capacity {
      targets.append(address)
    }
    return InitiatorPlan(
      targets: targets.sorted(), useList: true, isFull: !direct.isEmpty, isCoded: isSoughtCoded(chosen))
  }

  private func isSoughtCoded(_ peers: [Address]) -> Bool {
    requestedConnections.indices.contains {
      requestedConnections[$0].request.coded && peers.contains(requestedConnections[$0].peer)
    }
  }

  func desiredScan(_ demand: ScanDemand, _ surroundings: RadioSurroundings) -> ScanMode? {
    // A peer whose private address the controller does not resolve must be received first.
    let mayMove = !isFull && !surroundings.privatePeers.isEmpty
    let sought =
      mayMove
      ? requestedConnections.indices.filter {
        surroundings.isPrivate(requestedConnections[$0].peer) && !isLinked(requestedConnections[$0].peer)
          && !isFoundByController(requestedConnections[$0])
      } : []
    if surroundings.isClosing || scans.isEmpty && sought.isEmpty && !isProbing || radio.scanIsRefused { return nil }
    // Spare scans neither disturb a connection attempt nor change another scan.
    if !demand.hasScans, sought.isEmpty, !isProbing, hasWanted { return nil }
    let isUrgent = sought.contains { !requestedConnections[$0].request.pending }
    let isCoded = demand.isCoded || sought.contains { requestedConnections[$0].request.coded }
    let duty: ScanRequest.Duty = isCoded ? .coded : isUrgent || isProbing || demand.isFull ? .full : .gentle
    var listed: [Address]?
    // Initiating has priority on the single accept list.
    if demand.namesAll, !hasWanted, !seeksPrivate(surroundings) {
      listed = listedAddresses(acceptListCapacity(surroundings))
    }
    return ScanMode(duty: duty, listed: listed)
  }

  /// Whether a scan looks for a device whose current address is unknown.
  private func seeksPrivate(_ surroundings: RadioSurroundings) -> Bool {
    surroundings.privatePeers.contains { peer in
      scans.indices.contains { scans[$0].request.addresses.contains(peer.identity.bits) }
    }
  }

  /// The addresses that all scans look for, as both types; `nil` if the accept list is too short.
  private func listedAddresses(_ capacity: Int) -> [Address]? {
    var known: [UInt64] = []
    for index in scans.indices {
      for bits in scans[index].request.addresses where !known.contains(bits) {
        if 2 * known.count + 2 > capacity { return nil }
        known.append(bits)
      }
    }
    return known.flatMap { [Address(bits: $0, kind: .public), Address(bits: $0, kind: .random)] }.sorted()
  }

  func desiredAdvertising(_ surroundings: RadioSurroundings) -> RequestedAdvertising? {
    guard !surroundings.isClosing, !radio.advertisingWaitsForLink, let advertising else { return nil }
    if advertising.plan.connectable, links.count(where: { $0.role == .peripheral }) >= surroundings.configuration.maximumCentrals {
      return nil
    }
    return advertising
  }

  // MARK: Queries of the host

  /// Whether this scan is running.
  func isScanning(_ owner: OwnerID, _ id: OperationID) -> Bool { scans.contains { $0.owner == owner && $0.id == id } }

  func isRequested(_ peer: Address) -> Bool { requestedConnections.contains { $0.peer == peer } }

  /// The number of the scan, or of the later moment at which its reports were lost.
  func serial(ofScanAt index: Int) -> UInt64 {
    let lost = lostSightings.first { $0.owner == scans[index].owner }
    return max(scans[index].serial, lost?.serial ?? 0)
  }

  /// Whether a scan has a filter. If so, the host tracks which scans know of which devices.
  var hasFilters: Bool { scans.contains { !$0.request.filter.isEmpty } }

  /// Whether nothing is on the air or about to be.
  var isQuiet: Bool { radio.steps.isEmpty && radio.scan == nil && radio.initiator == .idle && radio.advertising == nil }

  /// Whether the controller scans, initiates or advertises.
  var isOnAir: Bool { radio.scan != nil || radio.initiator != .idle || radio.advertising != nil }

  /// Called after every packet, so it must not copy.
  var nextDeadline: Moment? {
    var earliest = radio.initiatesAt
    if case .cancelling(_, let until) = radio.initiator { earliest.advance(to: until) }
    earliest.advance(to: radio.turnEnds)
    earliest.advance(to: radio.rotationEnds)
    earliest.advance(to: radio.resolving.nextDeadline)
    for index in requestedConnections.indices { earliest.advance(to: requestedConnections[index].deadline) }
    return earliest
  }
}
