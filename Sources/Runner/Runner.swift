// Room: Runner.
