import Exchange
import Testing
import Vocabulary

@testable import Runner

/// `stop serving` while handlers of the peripheral are running.
@Suite struct StopServingTests {
  /// The host performs each request immediately.
  static func settle(_ bench: inout Bench, from place: inout Int) {
    while place < bench.requests.count {
      let request = bench.requests[place]
      place += 1
      bench.host(.completed(request.id, .success(.done)))
    }
  }

  static func lamp(_ handlers: String, _ body: String) -> String {
    """
    peripheral lamp
      advertise battery_service
      service battery_service
        characteristic battery_level can read, write, notify starts as u8(1)
      end
    \(handlers)
    end
    serve lamp
    \(body)

    """
  }

  static func write(_ bench: inout Bench, _ number: UInt64) {
    bench.host(.writeRequested(ServerRequestID(number), ServerAttributeID(0), Bench.strap, [5], withResponse: true))
  }

  /// `past.link` shows a server whether a central was there.
  @Test(arguments: [true, false]) func aCentralThatIsGoneIsALostLink(isThere: Bool) throws {
    var bench = try Bench(Self.lamp("", "on restore as past: print past.link\nwait 1h"))
    var place = 0
    Self.settle(&bench, from: &place)
    if isThere { bench.host(.centralConnected(Bench.strap, Bench.link)) }
    try bench.kill()
    #expect(bench.printed == [isThere ? "lost" : "none"])
  }

  /// Advertised data that only the run knows, and that is no record.
  @Test(arguments: ["manufacturer", "service_data"]) func advertisedDataIsARecord(_ field: String) throws {
    let peripheral = """
      peripheral p
        advertise 0xFFF0 with {\(field): [hex "0102"][random(0, 0)]}
        service 0xFFF0
          characteristic 0xFFF1 can read
        end
      end

      """
    var bench = try Bench(peripheral + "try\n  serve p\notherwise\n  print it.message\nend\nwait 1h\n")
    var place = 0
    Self.settle(&bench, from: &place)
    #expect(bench.printed.first?.hasPrefix("`\(field)` is a record: {") ?? false)
  }

  /// A peripheral that cannot begin leaves no values of the one before it in the checkpoint.
  @Test(arguments: [true, false]) func aFailedBeginLeavesNoValues(isRefused: Bool) throws {
    func peripheral(_ name: String, _ count: Int, _ more: String = "") -> String {
      let all = (1...count).map { "    characteristic 0xFFF\($0) can read starts as u8(\($0))\n" }.joined()
      return "peripheral \(name)\n  advertise 0xFFF0\(more)\n  service 0xFFF0\n\(all)  end\nend\n"
    }
    let declared = peripheral("p", 3) + "let n = [1][random(0, 0)]\n" + peripheral("q", 2, " with {name: n}") + peripheral("r", 1)
    let body =
      isRefused
      ? "try\n  serve p\notherwise\n  try: serve q otherwise print \"no\"\nend\n"
      : "after 1s: stop serving p\nserve p\nwait until now() > start\ntry: serve q otherwise print \"no\"\n"
    let text = declared + (isRefused ? "" : "let start = now() + 1s - 1ms\n") + body + "wait 1s\nserve r\nwait 1h\n"
    var bench = try Bench(text)
    var place = 0
    while place < bench.requests.count {
      let request = bench.requests[place]
      place += 1
      if isRefused, place <= 2 {
        bench.host(.completed(request.id, .failure(Failure(.adapter, "no room", blame: .adapter))))
      } else {
        bench.host(.completed(request.id, .success(.done)))
      }
    }
    for _ in 0..<20 {
      bench.advance(.milliseconds(200))
      Self.settle(&bench, from: &place)
    }
    #expect(bench.printed == ["no"], "\(bench.failures)")
    #expect(bench.machine.server.state.name == "r")
    #expect(bench.rows.keys.count { $0.kind == .served } == 1)
    try bench.kill()
  }

  @Test func stopServingEndsItsHandlers() throws {
    var bench = try Bench(
      Self.lamp(
        """
          on connect
            wait 5s
            notify battery_level with 2
            print "never"
          end
          on write battery_level as v
            print "asked {v}"
            wait 10s
            update battery_level to 3
          end
          every 3s
            print "tick"
            for each x in [1, 2] at once
              wait 2s
              notify battery_level with 4
            end
          end
          after 2s
            wait 3s
            notify battery_level with 5
          end
        """,
        """
        every 1s: debug "goes on"
        wait 4s
        stop serving lamp
        print "stopped"
        wait 20s
        """))
    var place = 0
    Self.settle(&bench, from: &place)
    bench.host(.centralConnected(Bench.strap, Bench.link))
    Self.write(&bench, 1)
    Self.write(&bench, 2)
    bench.advance(.seconds(4))
    Self.settle(&bench, from: &place)
    bench.advance(.seconds(30))
    Self.settle(&bench, from: &place)
    #expect(bench.printed == ["asked 5", "tick", "stopped"])
    #expect(bench.failures.isEmpty && bench.exit?.code == 0, "\(bench.failures)")
    // Its central gets no answer that the write was done.
    #expect(bench.requests.contains { $0.command == .answer(ServerRequestID(1), .refuse(0x0E)) })
    #expect(!bench.requests.contains { $0.command == .answer(ServerRequestID(1), .accept) })
    #expect(bench.logged.contains("goes on"))
  }

  /// Also if a branch of `at once` stops the serving.
  @Test(arguments: ["stop serving lamp", "for each x in [1] at once: stop serving lamp"])
  func theHandlerThatStopsServingContinues(statement: String) throws {
    var bench = try Bench(
      Self.lamp(
        """
          on connect
            wait 5s
            print "never"
          end
          on write battery_level as v
            \(statement)
            print "goes on"
          end
        """, "wait 20s"))
    var place = 0
    Self.settle(&bench, from: &place)
    bench.host(.centralConnected(Bench.strap, Bench.link))
    Self.write(&bench, 1)
    Self.settle(&bench, from: &place)
    bench.advance(.seconds(30))
    Self.settle(&bench, from: &place)
    #expect(bench.printed == ["goes on"])
    #expect(bench.failures.isEmpty && bench.exit?.code == 0, "\(bench.failures)")
  }

  /// The handlers of the next serving are new ones.
  @Test func servingCanStartAgain() throws {
    var bench = try Bench(
      Self.lamp(
        """
          every 3s
            print "tick"
            wait 2s
            print "tock"
          end
        """,
        """
        wait 4s
        stop serving lamp
        serve lamp
        wait 5500ms
        """))
    var place = 0
    for _ in 0..<20 {
      Self.settle(&bench, from: &place)
      bench.advance(.seconds(1))
    }
    #expect(bench.printed == ["tick", "tick", "tock"] && bench.failures.isEmpty, "\(bench.printed)")
  }
}
