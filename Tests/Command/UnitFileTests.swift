import Glibc
import Linux
import Testing
import Vocabulary

/// Checks the units of packaging/ with `systemd-analyze`, which needs no running manager.
@Suite struct UnitFileTests {
  let folder = Folder()

  private func analyze(_ arguments: [String]) -> Tooth.Result? {
    guard access("/usr/bin/systemd-analyze", X_OK) == 0 else {
      if environment("CI") == "true" {
        Issue.record("systemd-analyze is missing; make setup installs it")
      } else {
        print("units: NOT CHECKED, there is no systemd-analyze; make setup installs it")
      }
      return nil
    }
    return Tooth.start(
      arguments, program: "/usr/bin/systemd-analyze", environment: ["SYSTEMD_COLORS": "0"], directory: folder.path
    ).wait()
  }

  /// The units as `make install` would install them, but with the program that was just built.
  private func units() throws -> [String] {
    let names = Files.names(in: "\(Tooth.package)/packaging").sorted().filter { !$0.hasSuffix(".sysusers") && $0.contains(".") }
    for name in names {
      let text = try projectFile("packaging/\(name)")
      #expect(!name.hasSuffix(".service") || text.contains("ExecStart=/usr/local/bin/tooth "), "make install looks for this path")
      folder.file(
        name, text.split(separator: "/usr/local/bin/tooth", omittingEmptySubsequences: false).joined(separator: Tooth.path))
    }
    return names
  }

  /// The manuals name the folder that they are installed with.
  @Test func installedManualsNameTheirPrefix() throws {
    let made = Tooth.start(
      [
        "-C", Tooth.package, "-o", "build", "install", "PROGRAM=\(Tooth.path)", "PREFIX=/opt/x", "DESTDIR=\(folder.path)/root",
      ], program: "/usr/bin/make"
    ).wait(within: .seconds(120))
    #expect(made.code == 0, "\(made)")
    let manuals = "\(folder.path)/root/opt/x/share/man"
    for section in ["man1", "man5"] {
      let names = Files.names(in: "\(manuals)/\(section)")
      #expect(!names.isEmpty)
      for name in names {
        let text = String(decoding: try readFile("\(manuals)/\(section)/\(name)", limit: 1 << 20), as: UTF8.self)
        #expect(!text.contains("/usr/local/"), "\(name)")
        if name == "tooth.1" { #expect(text.contains("tooth run /opt/x/share/doc/tooth/recipes/heart")) }
      }
    }
  }

  @Test func systemdAcceptsEveryLine() throws {
    let names = try units()
    #expect(names == ["tooth-example.timer", "tooth-keeper@.service", "tooth-keeper@.socket", "tooth@.service"])
    guard let result = analyze(["verify", "--man=no"] + names.map { "./\($0)" }) else { return }
    #expect(result.code == 0)
    #expect(result.errors == "")
    // The check does report an unknown setting.
    folder.file("tooth@.service", "[Service]\nExecStart=\(Tooth.path) run\nWatchdogSex=30\n")
    #expect(analyze(["verify", "--man=no", "./tooth@.service"])?.errors.contains("WatchdogSex") ?? false)
  }

  /// `tooth service install` writes the same line.
  @Test func aRestartIsMarkedWhereARunLooksForTheMark() throws {
    let line = try projectFile("packaging/tooth@.service").split(separator: "\n").first { $0.hasPrefix("ExecStop=") }
    #expect(line.map(String.init) == "ExecStop=\(ServiceJob.marking)")
    #expect(ServiceJob.marking.contains("/\(ServiceJob.mark)\""))
  }

  @Test(arguments: ["tooth@.service", "tooth-keeper@.service"]) func aServiceIsHardened(unit: String) throws {
    _ = try units()
    guard let result = analyze(["security", "--offline=true", "--no-pager", "--threshold=20", "./\(unit)"]) else { return }
    let figure = result.output.split(separator: "\n").first { $0.contains("Overall exposure level") } ?? ""
    print("units: \(unit): \(figure)")
    #expect(figure != "", "\(result.errors)")
    // The exit code says whether the score is at most 2.0.
    #expect(result.code == 0, "\(figure)")
  }

  @Test func aDirectoryThatNoUnitCanHoldIsRefused() {
    let directory = "\(folder.path)/a\nUser=root"
    #expect(mkdir(directory, 0o755) == 0)
    folder.file("r.ble", "print 1\n")
    let refused = Tooth.start(
      ["service", "install", "../r.ble", "--print"], environment: ["HOME": folder.path], directory: directory
    ).wait()
    #expect(refused.code == 2 && refused.output.isEmpty)
    #expect(refused.errors.contains("the name of this directory has a control character"), "\(refused.errors)")
  }

  /// Lines of a unit without comments and blank lines.
  private func settings(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") && $0.contains("=") }
  }

  /// By default systemd kills everything in a unit's group. The keeper's helper, which returns the
  /// adapter, must outlive a killed keeper, and a killed run must not end the keeper, which is not
  /// part of its unit.
  @Test func stoppingAUnitEndsOnlyItsOwnProcesses() throws {
    let keeper = settings(try projectFile("packaging/tooth-keeper@.service"))
    #expect(keeper.filter { $0.hasPrefix("KillMode=") } == ["KillMode=process"])
    #expect(!keeper.contains { $0.hasPrefix("PartOf=") || $0.hasPrefix("BindsTo=") })
    folder.file("r.ble", "print 1\n")
    let installed = Tooth.start(
      ["service", "install", "r.ble", "--print"], environment: ["HOME": folder.path], directory: folder.path
    ).wait()
    #expect(installed.code == 0, "\(installed.errors)")
    for run in [settings(try projectFile("packaging/tooth@.service")), settings(installed.output)] {
      #expect(!run.contains { $0.hasPrefix("PartOf=") || $0.hasPrefix("BindsTo=") || $0.hasPrefix("KillMode=") })
      // Otherwise the run would start a keeper in its own group.
      #expect(!run.contains { $0.contains("--keeper") || $0.contains("TOOTH_KEEPER=") })
    }
    #expect(settings(try projectFile("packaging/tooth@.service")).contains("Wants=tooth-keeper@hci0.socket"))
  }

  @Test func systemdAcceptsInstalledUnits() throws {
    folder.file("a 100% $recipe.ble", "input name: text\nprint name\n")
    for arguments in [["--user"], []] {
      let shown = Tooth.start(
        ["service", "install", "a 100% $recipe.ble", "--print"] + arguments + ["--", "--name", "it's \"$HOME\" \\ 5%; x\rUser=x"],
        environment: ["HOME": folder.path], directory: folder.path
      ).wait()
      #expect(shown.code == 0, "\(shown.errors)")
      #expect(shown.output.contains(#""it's \"$$HOME\" \\ 5%%; x\x0dUser=x""#), "\(shown.output)")
      folder.file("tooth-printed.service", shown.output)
      guard let result = analyze(["verify", "--man=no", "./tooth-printed.service"]) else { return }
      #expect(result.code == 0, "\(result.errors)\n\(shown.output)")
      #expect(result.errors == "", "\(shown.output)")
    }
  }
}
