// Setup of the short run, before each file: temporary folders lie in memory, where the system has a folder there with room.
//
// Tests of the parts open thousands of stores, and each flushes to disk again and again. What a power cut leaves is tested on
// simulated disks; waiting for the real one checks nothing, and on a busy disk it was most of the time of these files. Smoke
// tests and the long run stay on the disk: users do, and a browser may not be startable from memory.

import { expect } from 'vitest'
import { diskFolder, memoryFolder } from './temporary-places.ts'

const isSmoke = expect.getState().testPath?.includes('/e2e/') === true
const folder = isSmoke ? diskFolder : memoryFolder
if (folder === undefined) delete process.env.TMPDIR
else process.env.TMPDIR = folder
