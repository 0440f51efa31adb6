#!/usr/bin/python3
"""Compares the tree printed by tooth with gatttool's view: same-tree.py TREE SERVICES ATTRIBUTES"""

import sys

services, characteristics, descriptors = [], [], []
for line in open(sys.argv[1]):
    kind, handle, uuid = line.lower().replace(' 0x', ' ').split()
    {'service': services, 'characteristic': characteristics, 'descriptor': descriptors}[kind].append((int(handle), uuid))
foreign_services = [(int(handle, 16), uuid) for _, handle, uuid in (line.split() for line in open(sys.argv[2]))]
attributes = [(int(handle, 16), uuid) for handle, uuid in (line.split() for line in open(sys.argv[3]))]
# Declarations of services, includes and characteristics are neither values nor descriptors.
foreign_values = [entry for entry in attributes if entry[1] not in ('2800', '2801', '2802', '2803')]
ours = sorted(characteristics + descriptors)
wrong = [('services', services, foreign_services), ('values and descriptors', ours, foreign_values)]
bad = [entry for entry in wrong if entry[1] != entry[2] or not entry[1]]
for name, mine, foreign in bad:
    print(f'{name}: tooth has {mine}, gatttool has {foreign}')
sys.exit(1 if bad else 0)
