import CBluez
import CReadline
import Glibc

/// A line editor at a terminal. It loads GNU readline.
///
/// The terminal has one mode from `open` to `close`: keys arrive one by one and are not echoed,
/// even while no line is being read.
package final class LineEditor {
  package enum Outcome: Equatable, Sendable {
    case nothing
    case line(String)
    /// Ctrl-D on an empty line, or the terminal is gone.
    case end
  }

  package static let descriptor: Int32 = 0
  package private(set) var isReading = false
  /// Whether the line is off the screen because of other output.
  package private(set) var isHidden = false
  /// Whether the last line was not UTF-8. Invalid bytes are replaced.
  package private(set) var isMalformed = false
  private var saved: termios?
  private var prompt = ""

  /// `nil` if readline is not installed or there is no terminal.
  package init?() {
    guard Linux.isTerminal(0), Linux.isTerminal(1), creadline_load() == 0 else { return nil }
    guard setMode() else { return nil }
    creadline_yield_when(cbluez_is_interrupted)
  }

  deinit { close() }

  private func setMode() -> Bool {
    var mode = termios()
    guard tcgetattr(Self.descriptor, &mode) == 0 else { return false }
    if saved == nil { saved = mode }
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_lflag |= tcflag_t(ISIG)
    mode.c_iflag &= ~tcflag_t(IXON)
    // Reads do not wait, because Ctrl-C may discard input that was already reported.
    withUnsafeMutableBytes(of: &mode.c_cc) { controls in
      controls[Int(VMIN)] = 0
      controls[Int(VTIME)] = 0
    }
    guard tcsetattr(Self.descriptor, TCSADRAIN, &mode) == 0 else { return false }
    // Turn bracketed paste on, so that line ends in it run nothing.
    creadline_brackets(1)
    return true
  }

  /// Restores the terminal's original mode.
  package func close() {
    end()
    guard var mode = saved else { return }
    saved = nil
    creadline_brackets(0)
    _ = tcsetattr(Self.descriptor, TCSADRAIN, &mode)
  }

  /// Stops the process, as Ctrl-Z does, and restores the line when it continues.
  package func suspend() {
    guard var mode = saved else { return }
    // The line keeps what was typed.
    hide()
    creadline_brackets(0)
    _ = tcsetattr(Self.descriptor, TCSADRAIN, &mode)
    Signals.stopProcess()
    _ = setMode()
    // The size may have changed while a shell had the terminal.
    creadline_resize(0, 0)
  }

  // MARK: A line

  package func begin(_ prompt: String, isSecret: Bool = false) {
    guard !isReading, saved != nil else { return }
    self.prompt = prompt
    creadline_begin(prompt, isSecret ? 1 : 0)
    isReading = true
    isHidden = false
  }

  /// Ends the line and removes it from the screen.
  package func end() {
    guard isReading else { return }
    hide()
    creadline_end()
    isReading = false
    isHidden = false
  }

  /// Handles a few of the available keys.
  package func keys() -> Outcome {
    guard isReading else { return .nothing }
    for place in 0..<8192 {
      // A user types few keys at a time; a paste is shown once it is complete.
      guard place < 64 || creadline_is_pasting() != 0, !Signals.isPending else { break }
      if creadline_take() != 0 {
        show()
        if let outcome = give() { return outcome }
      }
      guard isKeyThere else { break }
    }
    return .nothing
  }

  /// Whether a paste was dropped because it was too long; true once for each paste.
  package func takeDropped() -> Bool { creadline_dropped() != 0 }

  private var isKeyThere: Bool {
    var entry = pollfd(fd: Self.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Passes available input to readline.
  private func give() -> Outcome? {
    repeat {
      creadline_key()
      switch creadline_state() {
      case 1:
        isReading = false
        let text = String(validatingCString: creadline_line())
        isMalformed = text == nil
        return .line(text ?? String(cString: creadline_line()))
      case 2:
        isReading = false
        return .end
      default: break
      }
    } while creadline_has_keys() != 0
    return nil
  }

  package func hide() {
    guard isReading, !isHidden else { return }
    creadline_hide()
    isHidden = true
  }

  package func show() {
    guard isReading, isHidden else { return }
    isHidden = false
    creadline_show()
  }

  package func change(_ prompt: String) {
    guard isReading, prompt != self.prompt else { return }
    self.prompt = prompt
    hide()
    creadline_prompt(prompt)
  }

  package var isEmpty: Bool { creadline_typed().pointee == 0 }

  /// Clears the typed text.
  package func clear() {
    guard isReading else { return }
    show()
    creadline_abandon()
    hide()
    creadline_clear()
    end()
  }

  package func resize() {
    guard saved != nil else { return }
    let isShown = isReading && !isHidden
    creadline_resize(isShown ? 1 : 0, Int32(clamping: terminalSize(Self.descriptor).columns))
    show()
  }

  package func remember(_ line: String) { creadline_remember(line) }

  // MARK: Completion

  /// The current word may continue, so no space follows its completion.
  package func glue() { creadline_glue() }

  /// There is one thread and one terminal.
  nonisolated(unsafe) private static var finder: ((String, Int) -> [String])?

  nonisolated(unsafe) private static var lister: (([String]) -> String?)?

  /// Sets how completions are listed.
  ///
  /// - Parameter show: returns the text that lists these words; `nil` for readline's own list.
  package func list(with show: @escaping ([String]) -> String?) {
    Self.lister = show
    creadline_list_with { words, count in
      guard let words, let show = LineEditor.lister else { return 0 }
      guard let text = show((0..<Int(count)).compactMap { words[$0].map { String(cString: $0) } }) else { return 0 }
      creadline_write(text)
      return 1
    }
  }

  /// Sets how words are completed.
  ///
  /// - Parameter find: returns the possible words, given the line up to the cursor and the number
  ///   of bytes at its end that belong to the word.
  package func complete(with find: @escaping (String, Int) -> [String]) {
    Self.finder = find
    creadline_complete_with { line, word in
      guard let line, let find = LineEditor.finder else { return }
      for found in find(String(cString: line), Int(word)) { creadline_offer(found) }
    }
  }
}
