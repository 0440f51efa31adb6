// Room: Simulator.
