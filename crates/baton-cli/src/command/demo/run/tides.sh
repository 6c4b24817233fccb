#!/bin/sh
echo "high 00:04"
