import Recipe
import Terminal
import Testing

/// One planted error for every production of the grammar: `¦` marks where it must be found.
@Suite struct ProductionTests {
  struct Planted: CustomTestStringConvertible, Sendable {
    var production: String
    var text: String
    var code: String
    var testDescription: String { production }

    init(_ production: String, _ text: String, _ code: String) {
      self.production = production
      self.text = text
      self.code = code
    }
  }

  static let all: [Planted] = [
    // file
    Planted("recipe", "¦5\n", "T014"),
    Planted("item", "¦pocedure f()\n  print 1\nend\n", "T012"),
    Planted("member", "on stop\n  ¦prit 1\nend\n", "T012"),
    Planted("line", "print 1 ¦2\n", "T015"),
    Planted("line, second statement", "print 1; ¦prnt 2\n", "T012"),
    Planted("body, one line", "on stop: print 1; ¦if 1: print 2\n", "T020"),
    Planted("body, block", "¦repeat 3 times\n  print 1\n", "T016"),
    Planted("use", "use ¦5\n", "T014"),
    Planted("include", "include ¦5\n", "T014"),
    Planted("input", "input a¦\n", "T013"),
    Planted("input, type", "input a: ¦5\n", "T014"),
    Planted("remember", "remember a¦\n", "T013"),
    Planted("procedure", "procedure f¦\nend\n", "T013"),
    Planted("procedure, parameters", "procedure f(a ¦b)\nend\n", "T013"),
    Planted("test", "test ¦name\nend\n", "T014"),
    // things that happen
    Planted("handler, on", "on stop ¦5\n  print 1\nend\n", "T015"),
    Planted("handler, keeping", "on stop keeping ¦last: print 1\n", "T013"),
    Planted("handler, every", "every ¦5: print 1\n", "T025"),
    Planted("handler, after", "after ¦: print 1\n", "T014"),
    Planted("whenever", "whenever anything ¦apears: print 1\n", "T013"),
    Planted("whenever, again", "whenever anything appears again ¦5s: print 1\n", "T013"),
    Planted("event", "on ¦notfy heart_rate_measurement: print 1\n", "T031"),
    Planted("event, attribute", "on notify ¦5: print 1\n", "T035"),
    Planted("event, connect", "on connect of ¦5: print 1\n", "T014"),
    Planted("event, data", "on data ¦ch: print 1\n", "T013"),
    Planted("event, advertisement", "on advertisement ¦anything: print 1\n", "T013"),
    Planted("event, passkey", "on passkey ¦ask: print 1\n", "T013"),
    // one-line statements
    Planted("simple", "print 1 otherwise ¦5\n", "T014"),
    Planted("scan", "scan ¦heart_rate\n", "T013"),
    Planted("scan, within", "scan for heart_rate within ¦5\n", "T025"),
    Planted("scan, as", "scan for heart_rate as ¦5\n", "T014"),
    Planted("connect", "connect ¦strap\n", "T013"),
    Planted("connect, when", "connect when ¦appears\n", "T013"),
    Planted("reconnect", "reconnect¦\n", "T013"),
    Planted("reconnect, times", "reconnect 3 ¦time\n", "T013"),
    Planted("reconnect, waiting", "reconnect forever waiting ¦1\n", "T025"),
    Planted("reconnect, up to", "reconnect forever waiting 1s up ¦1min\n", "T013"),
    Planted("disconnect", "disconnect ¦strap\n", "T013"),
    Planted("pair", "pair ¦strap\n", "T013"),
    Planted("forget", "forget ¦5\n", "T014"),
    Planted("discover", "discover everything ¦heart_rate\n", "T015"),
    Planted("request", "request ¦5\n", "T014"),
    Planted("read", "read ¦\"x\"\n", "T014"),
    Planted("write", "write u8(1) ¦led\n", "T013"),
    Planted("writing, without", "write u8(1) to led without ¦answer\n", "T013"),
    Planted("writing, in", "write u8(1) to led in ¦parts\n", "T013"),
    Planted("writing, twice", "write u8(1) to led within 5s ¦within 5s\n", "T036"),
    Planted("unsure", "write u8(1) to led when unsure ¦stop\n", "T013"),
    Planted("subscribe", "subscribe ¦heart_rate_measurement\n", "T013"),
    Planted("unsubscribe", "unsubscribe ¦heart_rate_measurement\n", "T013"),
    Planted("wait", "wait¦\n", "T013"),
    Planted("wait, duration", "wait ¦5\n", "T025"),
    Planted("wait, until", "wait until¦\n", "T014"),
    Planted("wait, for", "wait for ¦5s\n", "T013"),
    Planted("print", "print ¦)\n", "T014"),
    Planted("print, ending", "print 1 ending¦\n", "T014"),
    Planted("append", "append 1 ¦into \"f\"\n", "T013"),
    Planted("save", "save 1¦\n", "T013"),
    Planted("progress", "progress 1 ¦2\n", "T013"),
    Planted("run", "run¦\n", "T014"),
    Planted("ask", "ask secret¦\n", "T014"),
    Planted("let", "let ¦5 = 1\n", "T014"),
    Planted("set", "set a ¦= 1\n", "T023"),
    Planted("expect", "expect 1,¦\n", "T014"),
    Planted("stop", "stop with ¦5\n", "T013"),
    Planted("fail", "fail \"x\" with ¦5\n", "T013"),
    Planted("return", "return 1 ¦2\n", "T015"),
    Planted("leave", "leave ¦now\n", "T015"),
    Planted("open", "open ¦5 as x\n", "T013"),
    Planted("open, as", "open channel 5¦\n", "T013"),
    Planted("send", "send 1 ¦ch\n", "T013"),
    Planted("close", "close ¦5\n", "T014"),
    Planted("serve", "serve ¦5\n", "T014"),
    Planted("advertise", "advertise ¦)\n", "T014"),
    Planted("notify", "notify battery_level ¦5\n", "T013"),
    Planted("indicate", "indicate battery_level ¦to 5\n", "T013"),
    Planted("update", "update battery_level ¦with 5\n", "T013"),
    Planted("answer", "answer¦\n", "T014"),
    Planted("refuse", "refuse ¦5\n", "T015"),
    Planted("simulate", "simulate ¦\"x\"\n", "T014"),
    Planted("start", "start ¦\"x.ble\"\n", "T013"),
    Planted("kill", "kill ¦5\n", "T014"),
    Planted("resume", "resume¦\n", "T014"),
    Planted("make", "make strap ¦explode\n", "T013"),
    Planted("fault, lose", "make strap lose ¦reply\n", "T013"),
    Planted("fault, slow", "make strap slow ¦5s\n", "T013"),
    Planted("fault, refuse", "make strap refuse next ¦notify with 5\n", "T013"),
    Planted("call", "f(1, ¦; 2)\n", "T014"),
    // blocks
    Planted("if", "if¦\nend\n", "T014"),
    Planted("elses", "if 1 is 1\nelse ¦5\nend\n", "T020"),
    Planted("simples", "if 1 is 1: print 1 ¦print 2\n", "T015"),
    Planted("repeat", "repeat¦\nend\n", "T013"),
    Planted("repeat, times", "repeat 3 ¦time\nend\n", "T013"),
    Planted("foreach", "for ¦x in [1]\nend\n", "T013"),
    Planted("foreach, in", "for each x ¦of [1]\nend\n", "T013"),
    Planted("foreach, at once", "for each x in [1] at ¦last\nend\n", "T013"),
    Planted("try", "try 3 ¦time\nend\n", "T013"),
    Planted("try, one line", "try: connect ¦5\n", "T015"),
    Planted("rescue", "try\notherwise if ¦5\nend\n", "T014"),
    Planted("with", "with ¦5\nend\n", "T014"),
    // pieces
    Planted("what", "scan for heart_rate or ¦)\n", "T014"),
    Planted("target", "scan for ¦1234567\n", "T035"),
    Planted("filter, named", "scan for anything named ¦x\n", "T014"),
    Planted("filter, stronger", "scan for anything stronger ¦-70dBm\n", "T013"),
    Planted("filter, made", "scan for anything made by ¦0x12345\n", "T008"),
    Planted("device", "connect to ¦\"x\"\n", "T031"),
    Planted("uuid", "discover ¦\"x\"\n", "T014"),
    Planted("attr, handle", "read handle ¦0\n", "T014"),
    Planted("attr, instance", "read a[1¦\n", "T013"),
    Planted("attr, path", "read a/b/c/¦d\n", "T013"),
    Planted("within", "wait until 1 is 1 within¦\n", "T014"),
    Planted("as", "read a as ¦5\n", "T014"),
    Planted("place", "set a.¦5 to 1\n", "T014"),
    // formats
    Planted("format", "format ¦5\nend\n", "T014"),
    Planted("format, for", "format a for ¦service 0x180D\nend\n", "T013"),
    Planted("field", "format a\n  b ¦u8\nend\n", "T013"),
    Planted("field, skip", "format a\n  skip 3 ¦bite\nend\n", "T013"),
    Planted("field, big", "format a\n  big ¦first\nend\n", "T013"),
    Planted("type, bits", "format a\n  b is bits(u8)\n    c is ¦byte 0\n  end\nend\n", "T013"),
    Planted("type, bits to", "format a\n  b is bits(u8)\n    c is bits 0 ¦3\n  end\nend\n", "T013"),
    Planted("plain", "format a\n  b is list(3) ¦u8\nend\n", "T013"),
    Planted("modifier", "format a\n  b is u8 ¦uint \"%\"\nend\n", "T015"),
    Planted("modifier, unit", "format a\n  b is u8 unit ¦5\nend\n", "T014"),
    Planted("meaning", "format a\n  b is u8 meaning on ¦1\nend\n", "T013"),
    // peripherals
    Planted("peripheral", "peripheral ¦5\nend\n", "T014"),
    Planted("part", "peripheral a\n  ¦advertize heart_rate\nend\n", "T012"),
    Planted("part, service", "peripheral a\n  service ¦\"x\"\n  end\nend\n", "T014"),
    Planted("part, line", "peripheral a\n  service heart_rate\n    ¦charakteristic battery_level\n  end\nend\n", "T013"),
    Planted("part, channel", "peripheral a\n  channel ¦5\nend\n", "T014"),
    Planted("prop", "peripheral a\n  service heart_rate\n    characteristic battery_level needs ¦trust\n  end\nend\n", "T013"),
    Planted("prop, starts", "peripheral a\n  service heart_rate\n    characteristic battery_level starts ¦5\n  end\nend\n", "T013"),
    Planted("ability", "peripheral a\n  service heart_rate\n    characteristic battery_level can ¦reed\n  end\nend\n", "T013"),
    // expressions
    Planted("expr", "print 1 ¦if true\n", "T013"),
    Planted("or", "print true or ¦)\n", "T014"),
    Planted("and", "print true and ¦)\n", "T014"),
    Planted("not", "print not ¦)\n", "T014"),
    Planted("comparison", "print 1 < 2 ¦< 3\n", "T024"),
    Planted("sum", "print 1 + ¦)\n", "T014"),
    Planted("term", "print 1 * ¦)\n", "T014"),
    Planted("term, mixed", "print 1 & 2 ¦+ 3\n", "T034"),
    Planted("unary", "print -¦)\n", "T014"),
    Planted("unary, field", "print a.¦\n", "T014"),
    Planted("unary, slice", "print a[1 .. ¦]\n", "T014"),
    Planted("primary, hex", "print hex ¦\"0\"\n", "T009"),
    Planted("primary, list", "print [1 ¦2]\n", "T013"),
    Planted("primary, record", "print {a ¦1}\n", "T013"),
    Planted("args", "print f(1 ¦2)\n", "T013"),
    Planted("arg", "print f(a: ¦)\n", "T014"),
  ]

  @Test(arguments: all) func thePlantedErrorIsFoundAtItsPosition(_ planted: Planted) throws {
    let parts = planted.text.split(separator: "¦", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let parsed = RecipeFile.parse(parts.joined(), name: "x.ble")
    let shown = DiagnosticRenderer().text(parsed.diagnostics, in: [parsed.source])
    let first = try #require(parsed.diagnostics.first, "nothing was found in \(planted.text)")
    #expect(first.code == planted.code, "\(shown)")
    #expect(Int(first.range.start) == parts[0].utf8.count, "\(shown)")
    #expect(parsed.diagnostics.count == 1, "\(shown)")
    #expect(parsed.recipe == nil)
  }
}
