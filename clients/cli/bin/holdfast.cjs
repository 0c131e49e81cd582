#!/usr/bin/env node
// npm links this file before the bundle is built.
require('../dist/holdfast.cjs');
