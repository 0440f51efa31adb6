import Glibc

/// One run of the real program on an air in another process. It is killed with SIGKILL at given
/// moments and restarted immediately each time.
///
/// The air is any program that serves controllers on a Unix socket and writes the log that the
/// judge reads: `tooth air`, or an independent stack.
package final class RealRun {
  /// When a life ends: this many milliseconds after its start, or after its link was made.
  package struct Moment {
    package var afterLink: Bool
    package var milliseconds: Int

    package init(afterLink: Bool, milliseconds: Int) {
      self.afterLink = afterLink
      self.milliseconds = milliseconds
    }
  }

  /// The program of the air with its arguments, which depend on the paths of the socket and the
  /// log.
  package struct Air {
    package var program: String
    package var arguments: (_ socket: String, _ log: String) -> [String]

    package init(program: String, arguments: @escaping (_ socket: String, _ log: String) -> [String]) {
      self.program = program
      self.arguments = arguments
    }

    /// `tooth air` with the peripherals of a file.
    package static func ours(_ devices: String, seed: UInt64) -> Air {
      Air(program: ToothProcess.path) { ["air", devices, "--listen", "unix:\($0)", "--log", $1, "--seed", "\(seed)"] }
    }
  }

  private enum Stage { case starting, killing, finishing, ending, over, failed(String) }

  private let place: Place
  private let recipe: String
  private var moments: [Moment]
  /// How many values the last life has to receive.
  private let values: Int
  private let forgets: Bool
  private let air: ToothProcess
  private var lives: [ToothProcess] = []
  private var stage = Stage.starting
  private let born = RealRun.now
  private var started: Int64 = 0
  private var linked: Int64?
  private var logSize = 0

  /// `forgets` is a planted defect: each life but the first finds no files of the one before it.
  package init?(recipe: String, air: Air, moments: [Moment], values: Int, forgets: Bool = false) {
    guard let place = Place() else { return nil }
    self.place = place
    self.recipe = recipe
    self.moments = moments
    self.values = values
    self.forgets = forgets
    let arguments = air.arguments("\(place.path)/air", "\(place.path)/air.log")
    guard let air = ToothProcess(arguments, program: air.program, in: place.path, name: "air") else { return nil }
    self.air = air
  }

  deinit {
    for process in lives + [air] {
      process.send(SIGKILL)
      process.wait()
    }
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private var log: [String] { (textOfFile("\(place.path)/air.log") ?? "").split(separator: "\n").map(String.init) }

  /// Lines of the log since the last start.
  private func linesSinceStart() -> ArraySlice<String> {
    let lines = log
    return lines.dropFirst(min(logSize, lines.count))
  }

  private func live() {
    logSize = log.count
    linked = nil
    started = Self.now
    guard
      let process = ToothProcess(
        ["run", recipe, "--adapter", "unix:\(place.path)/air"], in: place.path, name: "life\(lives.count + 1)")
    else {
      stage = .failed("cannot start tooth")
      return
    }
    lives.append(process)
    stage = moments.isEmpty ? .finishing : .killing
  }

  package var isOver: Bool {
    switch stage {
    case .over, .failed: true
    default: false
    }
  }

  package var failure: String? {
    if case .failed(let text) = stage { text } else { nil }
  }

  /// Checks once; never waits.
  package func step() {
    let patience: Int64 = 60_000
    switch stage {
    case .starting:
      if access("\(place.path)/air", F_OK) == 0 {
        live()
      } else if air.hasEnded() {
        stage = .failed("the air ended: \(air.errors)")
      } else if Self.now - born > patience {
        stage = .failed("the air does not come up: \(air.errors)")
      }
    case .killing:
      guard let process = lives.last, let moment = moments.first else { return }
      if process.hasEnded() {
        stage = .failed("life \(lives.count) ended by itself with \(process.exitCode): \(process.errors)")
        return
      }
      if moment.afterLink, linked == nil, linesSinceStart().contains(where: { $0.contains("\"kind\":\"established\"") }) {
        linked = Self.now
      }
      if Self.now - started > patience { return stage = .failed("life \(lives.count) made no link: \(process.errors)") }
      guard let anchor = moment.afterLink ? linked : started, Self.now - anchor >= Int64(moment.milliseconds) else { return }
      process.send(SIGKILL)
      process.wait()
      moments.removeFirst()
      if forgets { removeTree("\(place.path)/state") }
      live()
    case .finishing:
      guard let process = lives.last else { return }
      if process.hasEnded() { return stage = .failed("the last life ended by itself with \(process.exitCode): \(process.errors)") }
      if Self.now - started > patience { return stage = .failed("the last life got too little: \(process.errors)") }
      if process.output.utf8.count(where: { $0 == 0x0A }) >= values {
        process.send(SIGINT)
        started = Self.now
        stage = .ending
      }
    case .ending:
      guard let process = lives.last else { return }
      if process.hasEnded() {
        stage = .over
      } else if Self.now - started > 20_000 {
        stage = .failed("the run does not end at Ctrl-C")
      }
    case .over, .failed: break
    }
  }

  /// The output of the air.
  package var airOutput: String { air.output }

  /// Runs all of them to their ends. Real processes take varying time, so nothing here waits for a
  /// fixed duration.
  package static func finish(_ runs: [RealRun]) {
    while !runs.allSatisfy(\.isOver) {
      for run in runs { run.step() }
      usleep(2000)
    }
  }

  package func evidence(files: [String]) -> Evidence {
    var texts: [String: String] = [:]
    for name in files { texts[name] = textOfFile("\(place.path)/\(name)") }
    return Evidence(
      log: log, lives: lives.map { Evidence.Life(output: $0.output, errors: $0.errors) }, files: texts,
      exitCode: lives.last?.exitCode ?? -1)
  }
}
