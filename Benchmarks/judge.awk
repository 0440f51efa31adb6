# Judges figures, and writes the table:
#   awk -v figures=FILE -v committed=FILE [-v page=FILE -v machine=TEXT] -f judge.awk limits.txt
# Prints each problem on stderr, one line each, and exits with 1 if there is one. A time beyond its
# limit is reported, but fails only with -v holds_times=1.
function at_most(rule,    part, factor) {
  if (rule ~ /^[0-9.]+$/) return rule
  factor = 1
  if (split(rule, part, "*") == 2) { factor = part[1]; rule = part[2] }
  return (rule in value) ? factor * value[rule] : ""
}
function is_left_out(name, held) {
  return held == "instructions" && leaves_instructions_out || name ~ /^server_/ && leaves_bumble_out || name ~ /^kernel_/ && leaves_kernel_out || \
    name ~ /_system_calls$/ && leaves_calls_out || name ~ /^prompt_/ && leaves_prompt_out
}
function complain(text) { tell(text); wrong++ }
function tell(text) { print "bench: " text > "/dev/stderr" }
function cell(name, unit) { return (name in value) ? value[name] unit : "" }
function other(who, name, unit) { return ((who "_" name) in value) ? value[who "_" name] unit : "–" }
BEGIN {
  FS = "|"
  while ((getline line < figures) > 0) { split(line, word, " "); value[word[1]] = word[2] }
  close(figures)
  while ((getline line < committed) > 0) { split(line, word, " "); before[word[1]] = word[2] }
  if (page != "") {
    print "# Figures\n" > page
    print "What `ACCEPT=1 make bench` measured. `make bench` measures again, and fails when a figure is beyond its limit, or a count or a number of" > page
    print "instructions is more than 10 % above the one here. Times are CPU time, user and system, the best of several passes. Other work on the" > page
    print "machine adds to them, so they are held to limits only, and that on a machine at rest: `TIMES=1 make bench`. `Benchmarks/limits.txt` says" > page
    print "what is held to what.\n" > page
    print "Bumble is measured in the same run, doing the same with its own host in Python, on the same controllers and the same peripheral (its" > page
    print "own, `Benchmarks/bumble`), over H4 on TCP.\n" > page
    print "Machine: " machine ".\n" > page
    if (keeps_times) {
      print "Other work went on beside the last run, so that times and memory that were there before are of the run before it; counts and instructions," > page
      print "and what stands here for the first time, are of this one.\n" > page
    }
    print "| what | tooth | Bumble | gatttool | bleak | at most |" > page
    print "|---|---:|---:|---:|---:|---:|" > page
  }
}
/^#/ || NF < 5 { next }
{
  name = $1
  rule = $2
  held = $4
  unit = $3 == "" ? "" : " " $3
  limit = rule == "" ? "" : at_most(rule)
  shown = limit == "" ? "–" : (rule ~ /^[0-9.]+$/ ? rule unit : sprintf("%g", limit) unit)
  if (!(name in value)) {
    if (!is_left_out(name, held)) complain(name " was not measured")
    mine = "not measured here"
  } else {
    mine = value[name] unit
    if (limit != "" && value[name] + 0 > limit + 0) {
      text = name " is " value[name] unit ", more than " sprintf("%g", limit) (rule ~ /^[0-9.]+$/ ? "" : " (" rule ")")
      if (held == "time" && !holds_times) tell(text " (a time: TIMES=1 make bench fails for it)"); else complain(text)
      mine = "**" mine "**"
    }
    if ((held == "count" || held == "instructions") && !(name in before))
      complain(name " is not among the committed figures, so it is compared with nothing (ACCEPT=1 make bench takes it)")
    if ((held == "count" || held == "instructions") && name in before && value[name] + 0 > before[name] * 1.1) {
      complain(sprintf("%s was %s, is %s: %.1f %% worse (ACCEPT=1 make bench takes it)", name, before[name], value[name], \
        before[name] > 0 ? (value[name] / before[name] - 1) * 100 : 100))
      mine = "**" mine "**"
    }
  }
  if (page != "") {
    print "| " $5 " | " mine " | " other("bumble", name, unit) " | " other("gatttool", name, unit) " | " \
      other("bleak", name, unit) " | " shown " |" > page
  }
}
END {
  if (page != "") {
    requests = "cold " value["requests_cold"] "; cached " value["requests_cached"] "; one read " value["requests_one_read"] "."
    gsub(",", ", ", requests)
    gsub("-", " ", requests)
    print "\nRequests, on the simulated air: " requests > page
    print "\nThe burst: 20,000 advertising reports of 200 senders, given to the host at once; " value["reports_told"] " were told to the scan. A fifth of the" > page
    print "senders pass its filters (service, name, signal, a condition), and the last report of each of them is what the recipe sees. The instructions" > page
    print "of a report are of another burst: of reports by ten devices that all pass the filters, whose signal is another with each, so that they" > page
    print "cannot be compared with the microseconds." > page
    print "\nOctets on air: ATT, 4 of L2CAP for each PDU, and 10 of the link layer for each 251 of these; empty packets not counted. The peripheral" > page
    print "counts them, and the requests, for both hosts alike." > page
    print "\nThe day: " value["day_beats"] " heartbeats, " value["day_reconnections"] " reconnections, " value["day_commits"] " commits. The loop: " \
      value["loop_us"] " µs, CPython " value["loop_cpython_us"] " µs." > page
    if ("kernel_read_cpu_ms" in value) {
      print "\nBeside gatttool and bleak: one read of a strap on our simulated air through one adapter of a real kernel, in a machine that QEMU emulates, so" > page
      print "that only the ratios mean anything. tooth takes the adapter from the kernel and brings its own host; gatttool leaves the host, and bleak the" > page
      print "host and bluetoothd, to processes and a kernel whose time is not counted here." > page
    }
  }
  exit wrong > 0
}
