extension OneShotRecipe {
  /// `tooth clone DEV`: the device as a `peripheral`, which is printed once all of it is known.
  package static func clone(_ device: OneShotDevice, within limit: String?) -> String {
    let within = limit.map { " within \($0)" } ?? ""
    // An alias might be a name that is used here.
    let device = device.withoutAlias
    var finding = device.connection(within: limit)
    let connecting = finding.removeLast()
    var lines = ["let seen = nothing"]
    // It is heard before it is connected to: then many devices are silent.
    if let name = device.soughtName {
      lines.append("let address = nothing")
      lines.append(
        "on advertisement of \(RecipeLiteral.text(name)) where it.address is address as heard keeping latest: set seen to heard")
      finding.append("set address to device.address")
    } else if case .address(let address) = device {
      lines.append("on advertisement of \(address.withKind) as heard keeping latest: set seen to heard")
    }
    let silent = "log \"it does not advertise now: the copy advertises its first service\""
    finding.append("try within \(limit ?? "5s"): wait until seen is not nothing otherwise \(silent)")
    return text([procedures] + lines + finding + [connecting, "discover everything\(within)", description])
  }

  private static let procedures = #"""
    procedure quoted(text)
      let inner = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\{", "\\\{")
      return "\"" + inner.replace("\n", "\\n").replace("\r", "\\r") + "\""
    end
    procedure word(part): return "{part.uuid if part.name is nothing else part.name}"
    procedure content(part)
      try
        read raw (part) as bytes
        if count(bytes) is 0: return ""
        return " starts as hex \"{bytes}\""
      otherwise if needs_pairing
        return " read needs encryption"
      otherwise if refused or missing as failure
        return "  # {failure.message}"
      end
    end
    # The service as `include` names it: of several with its UUID by its number.
    procedure which(service)
      let twins = 0
      let number = 0
      for each other in device.services
        if other.uuid is service.uuid
          if other.handle < service.handle: set number to number + 1
          set twins to twins + 1
        end
      end
      return word(service) + ("[{number}]" if twins > 1 else "")
    end
    """#

  private static let description = #"""
    let offered = []
    let with = []
    let lines = []
    for each s in device.services
      if s.uuid in [0x1800, 0x1801]
        for each c in s.characteristics
          if c.uuid is 0x2A01
            read raw (c) as value
            if count(value) is 2 and value.u16(0) is not 0: set with to with + ["appearance: {value.u16(0)}"]
          end
        end
      else
        if s.primary: set offered to offered + [s]
        set lines to lines + [("  service " if s.primary else "  secondary service ") + word(s)]
        for each i in s.included: set lines to lines + ["    include {which(i)}"]
        for each c in s.characteristics
          let can = []
          for each p in c.properties
            if p in ["read", "write", "write without response", "notify", "indicate"]: set can to can + [p]
          end
          let value = ""
          if "read" in c.properties: set value to content(c)
          let below = []
          for each d in c.descriptors
            if d.uuid is 0x2900
              read raw (d) as bits
              if bits.u8(0) & 1 is 1: set can to can + ["write reliably"]
            else if d.uuid is not 0x2902
              let own = content(d)
              set below to below + ["      descriptor {word(d)} can read{own}"]
            end
          end
          let abilities = " can " + join(can, ", ") if count(can) > 0 else ""
          set lines to lines + ["    characteristic " + word(c) + abilities + value] + below
        end
        set lines to lines + ["  end"]
      end
    end
    if seen is not nothing
      let maker = seen.manufacturer
      if maker is not nothing
        set with to with + ["manufacturer: \{company: {maker.company}, data: hex \"{maker.data}\"}"]
      end
      let data = seen.service_data
      if data is not nothing
        set with to with + ["service_data: \{service: {data.service}, data: hex \"{data.data}\"}"]
      end
      if seen.tx_power is not nothing: set with to with + ["tx_power: {seen.tx_power}"]
    end
    # Services that are advertised; if none are, the first, because a peripheral needs one.
    let advertised = []
    for each s in offered
      if seen is not nothing and s.uuid in seen.services: set advertised to advertised + [word(s)]
    end
    if seen is not nothing
      for each uuid in seen.services
        let known = false
        for each s in offered
          if s.uuid is uuid: set known to true
        end
        if not known: set advertised to advertised + ["{uuid}"]
      end
    end
    if count(advertised) is 0 and count(offered) > 0: set advertised to [word(offered[0])]

    print "## A copy of {device.address}, made by tooth clone."
    print "peripheral copy named {quoted(device.name)}"
    if count(advertised) > 0
      print "  advertise " + join(advertised, ", ") + (" with \{{join(with, ', ')}}" if count(with) > 0 else "")
    end
    if count(lines) > 0: print join(lines, "\n")
    print "end"
    """#
}
