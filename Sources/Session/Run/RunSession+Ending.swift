import Journal
package import Runner
package import Vocabulary

/// The end of a run, and what it leaves.
extension RunSession {
  func close(at now: Instant) {
    guard closeBy == nil else { return }
    // Shorter than the host's own limit, because the user wants the run to end.
    closeBy = now.moment + .seconds(4)
    // A run that cannot save anything may continue when there is room again.
    host.end(leavingLinks: isMakingWay || journalFailure?.isOfTheDisk ?? false, at: now)
    attend(at: now)
  }

  func finish(at now: Instant) {
    guard !isOver, !isKilled, let status = finishedWith else { return }
    isOver = true
    closeBy = nil
    saveDiscovered()
    lines?.showInput()
    drawTree()
    drawPlot(at: now, isLast: true)
    closeTerminal()
    endCommands()
    console.clearProgress()
    host.tidy()
    if endsByAdapter {
      dump?.write(host.lastPackets, telling: console)
    } else if endsByLink, store != nil {
      dump?.write(host.lastPackets, telling: nil)
    } else {
      dump?.forget()
    }
    if journalFailure == nil, let store {
      let ending: RunRecord.Ending =
        switch status.reason {
        case .finished: .finished
        case .stopped: .stopped
        case .failed: .failed
        case .interrupted: .interrupted
        case .terminated: .terminated
        }
      do throws(JournalFailure) {
        try syncFiles()
        var problem: JournalFailure?
        perform(.commit(synced: true)) {
          do throws(JournalFailure) { try store.finish(ending, code: status.code, at: now.wall) } catch { problem = error }
        }
        if let problem { throw problem }
      } catch {
        journalFailure = error
      }
    }
    if journalFailure != nil { exitStatus = ExitStatus(code: 11, reason: .failed) }
  }

  /// Ends at once, as after a second Ctrl-C. Links end by their supervision timeout.
  /// - Parameter reason: of the first request, `interrupted` or `terminated`.
  package func abandon(_ reason: StopReason = .interrupted, at now: Instant) {
    guard !isOver, !isKilled else { return }
    isOver = true
    endsBy = now.moment
    lines?.showInput()
    closeTerminal()
    endCommands()
    host.abandon(at: now)
    exitStatus = ExitStatus(code: reason == .interrupted ? 130 : isHungUp ? Self.hangUpCode : 143, reason: reason)
    try? store?.finish(reason == .terminated ? .terminated : .interrupted, code: exitStatus.code, at: now.wall)
  }
}
