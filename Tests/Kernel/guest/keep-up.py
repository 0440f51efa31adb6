#!/usr/bin/python3
"""Switches an adapter on (HCIDEVUP) whenever it is off, in a busy loop: keep-up.py INDEX"""

import fcntl
import socket
import sys

HCIDEVUP = 0x400448C9
index = int(sys.argv[1])
control = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
while True:
    try:
        fcntl.ioctl(control, HCIDEVUP, index)
    except OSError:
        pass
