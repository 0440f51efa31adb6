// swift-tools-version: 6.2
import PackageDescription

/// The modules of ARCHITECTURE.md. Ring n imports only lower rings, and only what its row names;
/// `check` compares.
let everything = [
  "Vocabulary", "Packets", "Exchange", "Host", "Recipe", "Runner", "Keeper", "Crypto", "Journal", "Linux", "Terminal", "Simulator",
  "Adapters", "KeeperProcess", "Session", "World",
]

func dependencies(_ names: [String]) -> [Target.Dependency] { names.map { .byName(name: $0) } }

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault")]

/// Two costs at every start of the program: regular expressions, a megabyte (`holds` in Vocabulary
/// searches texts instead), and generic types such as `[Address: Link]` that are resolved by
/// mangled name rather than by calls, a tenth of a start's instructions.
///
/// `./check` optimises the modules but not their tests. Kill sweeps take most of its time and need
/// a third of it when optimised. Overflows and subscripts are still checked.
let lean: [SwiftSetting] =
  strict + (Context.environment["TOOTH_CHECK"] == nil ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]) + [
    .unsafeFlags([
      "-Xfrontend", "-disable-implicit-string-processing-module-import",
      "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
    ])
  ]

func room(_ name: String, _ imports: [String] = []) -> Target {
  // Rounding a Double calls libm, which is not linked unless Glibc is imported.
  .target(
    name: name, dependencies: dependencies(imports), swiftSettings: lean, linkerSettings: [.linkedLibrary("m")])
}

func tests(_ name: String, _ imports: [String], exclude: [String] = [], resources: [Resource] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies(imports), path: "Tests/\(name)", exclude: exclude, resources: resources,
    swiftSettings: strict)
}

let package = Package(
  name: "tooth",
  products: [.executable(name: "tooth", targets: ["tooth"])],
  targets: [
    // ring 0
    room("Vocabulary"),
    // ring 1
    room("Packets", ["Vocabulary"]),
    room("Exchange", ["Vocabulary"]),
    // ring 2
    room("Host", ["Vocabulary", "Packets", "Exchange"]),
    room("Recipe", ["Vocabulary", "Exchange"]),
    room("Crypto", ["Vocabulary", "CCrypto"]),
    // ring 3
    room("Runner", ["Vocabulary", "Recipe", "Exchange", "Crypto"]),
    room("Keeper", ["Vocabulary", "Exchange", "Host"]),
    // ring 4
    room("Journal", ["Vocabulary", "Exchange", "Runner", "CSQLite"]),
    room("Linux", ["Vocabulary", "Packets", "CBluez", "CReadline"]),
    room("Terminal", ["Vocabulary", "Exchange", "Recipe"]),
    room("Simulator", ["Vocabulary", "Packets"]),
    // ring 5
    room("Adapters", ["Vocabulary", "Packets", "Host", "Recipe", "Linux"]),
    // ring 6
    room("KeeperProcess", ["Vocabulary", "Packets", "Exchange", "Host", "Keeper", "Crypto", "Linux", "Adapters"]),
    // ring 7
    room(
      "Session",
      [
        "Vocabulary", "Packets", "Exchange", "Host", "Recipe", "Runner", "Keeper", "Crypto", "Journal", "Linux", "Terminal",
        "Adapters",
        "KeeperProcess",
      ]),
    // ring 8
    room(
      "World",
      [
        "Vocabulary", "Packets", "Exchange", "Host", "Recipe", "Runner", "Keeper", "Journal", "Linux", "Terminal", "Simulator",
        "Adapters",
        "KeeperProcess", "Session",
      ]),
    // ring 9
    .executableTarget(name: "tooth", dependencies: dependencies(everything), swiftSettings: lean),
    // C
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CBluez"),
    .target(name: "CCrypto"),
    .target(name: "CReadline", linkerSettings: [.linkedLibrary("dl")]),
    // tests
    tests("Vocabulary", ["Vocabulary"]),
    tests("Packets", ["Vocabulary", "Packets"]),
    tests("Host", ["Vocabulary", "Packets", "Exchange", "Host", "Simulator", "KeeperProcess"]),
    tests("Recipe", ["Vocabulary", "Exchange", "Recipe", "Terminal"]),
    tests("Runner", ["Vocabulary", "Exchange", "Recipe", "Crypto", "Runner"]),
    tests("Keeper", ["Vocabulary", "Exchange", "Packets", "Host", "Keeper", "Simulator"]),
    tests("Journal", everything),
    tests("Linux", ["Vocabulary", "Packets", "Linux", "Crypto"]),
    tests("Simulator", ["Vocabulary", "Packets", "Simulator"]),
    tests("World", everything + ["Judgement"]),
    tests("Command", everything + ["tooth", "Judgement"]),
    // The judge of killed runs, which depends on nothing that it judges.
    .target(name: "Judgement", path: "Tests/Judgement", swiftSettings: strict),
    tests("Kill", everything + ["Judgement"], exclude: ["recipes"]),
    tests("Faults", everything, exclude: ["recipes"]),
    tests(
      "Interop", ["Vocabulary", "Packets", "Linux", "Judgement"],
      exclude: ["recipes", "requirements.txt", "peripheral.py", "bonded.py", "central.py", "pairing_central.py"]),
  ]
)

// The program behind `make bench`. In a package of its own it could not see `package` declarations.
if Context.environment["TOOTH_BENCH"] != nil {
  package.targets.append(
    .executableTarget(
      name: "bench", dependencies: dependencies(everything), path: "Benchmarks/Sources", swiftSettings: strict))
}

// The program behind `make fuzz`. Scripts/fuzz has the flags that instrument every module.
if Context.environment["TOOTH_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: dependencies(everything), path: "Fuzz/Sources", swiftSettings: strict))
}
