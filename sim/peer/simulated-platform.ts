// The platform of a whole peer on a simulated machine: everything on virtual time, work of threads done where it is asked for.
//
// What lies beside the program (scripts, styles) is read before the simulation begins: nothing real may be waited for in it.

import { loadPageAssets } from '../../src/app/pages/page-assets.ts'
import { ownFileSources } from '../../src/app/pages/store-replay.ts'
import type { Platform, ProgramFiles } from '../../src/app/platform.ts'
import { doPageTask } from '../../src/app/threads/page-task.ts'
import { isSigned } from '../../src/network/membership/signing.ts'
import { BrowserError } from '../../src/platform/browser.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import { simulatedPrivateFiles } from '../../src/platform/simulated/private-files.ts'
import { inlineWorkers } from '../../src/platform/workers.ts'
import { checkCopies } from '../../src/store/copying/copy-check.ts'
import { compareDocuments } from '../../src/ui/comparison/comparison.ts'
import type { Pause } from '../sites/pause.ts'
import type { HttpDoors } from './http-doors.ts'
import type { OriginWeb } from './origin-web.ts'
import { type Addresses, SimulatedPeerNetwork } from './simulated-peer-network.ts'

export interface PlatformParts {
  readonly web: OriginWeb
  readonly doors: HttpDoors
  readonly addresses: Addresses
  readonly programFiles: ProgramFiles
}

/** For all simulations of this process. */
export async function loadProgramFiles(): Promise<ProgramFiles> {
  const [assets, files] = await Promise.all([loadPageAssets(), ownFileSources()])
  return { pageAssets: async () => assets, replayFiles: async () => files }
}

/** For the process that runs on the machine now. `pause` stops it for a while. */
export function simulatedPlatform(machine: SimulatedMachine, parts: PlatformParts, pause: Pause): Platform {
  const { name, random, disk, keyValues, compressor } = machine
  const clock = pause.clock(machine.clock)
  const wire = pause.network(machine.network)
  const { web, doors, addresses, programFiles } = parts
  return {
    clock,
    random,
    disk,
    keyValues,
    compressor,
    programFiles,
    processId: 1,
    files: simulatedPrivateFiles(disk),
    threads: {
      pages: () => inlineWorkers((task) => doPageTask({ clock, random, compressor }, task)),
      copies: () => inlineWorkers(checkCopies),
      comparisons: () => inlineWorkers(compareDocuments),
      isSigned,
    },
    startWeb: async () => web.seenBy(name, clock),
    startBrowser: async () => {
      throw new BrowserError('browser-missing', 'Simulated machines have no browser.')
    },
    startHttpServer: async (options, handler) => doors.open(name, options, handler),
    startNetwork: async (options) =>
      new SimulatedPeerNetwork({ clock, wire, addresses }, options, random.below(2 ** 32)),
    lookUpText: async () => [],
    openPaths: async () => ({ check: async (path) => path }),
    keepHeapSmall: () => {},
    breathe: async () => {},
  }
}
