extension OneShotRecipe {
  /// `tooth clone DEV`: prints the device as a `peripheral` once it is completely known.
  package static func clone(_ device: OneShotDevice, within limit: String?) -> String {
    let within = limit.map { " within \($0)" } ?? ""
    // An alias might be a name used here.
    let device = device.withoutAlias
    var finding = device.connection(within: limit)
    let connecting = finding.removeLast()
    var lines = ["let seen = nothing"]
    // Scan before connecting, because many devices do not advertise while connected.
    if let name = device.soughtName {
      lines.append("let address = nothing")
      lines.append(
        "on advertisement of \(RecipeLiteral.text(name)) where it.address is address as heard keeping latest: set seen to heard")
      finding.append("set address to device.address")
    } else if let address = device.knownAddress {
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
    procedure start_of(part)
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
    procedure is_reliable(part)
      try
        read raw (part) as bits
        if count(bits) > 0: return bits.u8(0) & 1 is 1
      otherwise if refused or needs_pairing or missing
        debug "its extended properties cannot be read"
      end
      return false
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
    # The server has a Generic Attribute service of its own.
    let copied = []
    for each s in device.services
      if s.uuid is not 0x1801: set copied to copied + [s]
    end
    let lines = []
    for each s in copied
      set lines to lines + [("  service " if s.primary else "  secondary service ") + word(s)]
      for each i in s.included
        if i.uuid is not 0x1801: set lines to lines + ["    include {which(i)}"]
      end
      for each c in s.characteristics
        let can = []
        for each p in c.properties
          if p in ["read", "write", "write without response", "notify", "indicate"]: set can to can + [p]
        end
        let value = ""
        if "read" in c.properties: set value to start_of(c)
        let below = []
        let known = [0x2900, 0x2902]
        for each d in c.descriptors
          if d.uuid is 0x2900
            let reliable = is_reliable(d)
            if reliable: set can to can + ["write reliably"]
          else if not d.uuid in known
            let own = start_of(d)
            set below to below + ["      descriptor {word(d)} can read{own}"]
            set known to known + [d.uuid]
          end
        end
        let abilities = " can " + join(can, ", ") if count(can) > 0 else ""
        set lines to lines + ["    characteristic " + word(c) + abilities + value] + below
      end
      set lines to lines + ["  end"]
    end
    let with = []
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
    let advertised = []
    let name = "" if device.name is "{device.address}" else device.name
    if seen is not nothing
      set name to "" if seen.name is nothing else seen.name
      for each uuid in seen.services
        let shown = "{uuid}"
        for each s in copied
          if s.uuid is uuid: set shown to word(s)
        end
        if not shown in advertised: set advertised to advertised + [shown]
      end
    end
    # A peripheral needs a service to advertise. Most devices begin with Generic Access.
    for each s in copied
      if count(advertised) is 0 and s.primary and s.uuid is not 0x1800: set advertised to [word(s)]
    end

    print "## A copy of {device.address}, made by tooth clone."
    print "peripheral copy named {quoted(name)}"
    if count(advertised) > 0
      print "  advertise " + join(advertised, ", ") + (" with \{{join(with, ', ')}}" if count(with) > 0 else "")
    end
    if count(lines) > 0: print join(lines, "\n")
    print "end"
    """#
}
