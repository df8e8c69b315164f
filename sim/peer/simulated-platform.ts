// The platform of a whole peer on a simulated machine: everything on virtual time, work of threads done where it is asked for.
//
// What lies beside the program (scripts, styles) is read before the simulation begins: nothing real may be waited for in it.

import { loadPageAssets } from '../../src/app/pages/page-assets.ts'
import { ownFileSources } from '../../src/app/pages/store-replay.ts'
import type { Platform, ProgramFiles } from '../../src/app/platform.ts'
import { inlineSearch } from '../../src/app/search/inline-search.ts'
import { doThreadTask } from '../../src/app/threads/page-task.ts'
import { compareDocuments } from '../../src/changes/page-change/difference/comparison.ts'
import { compareVersions } from '../../src/changes/page-change/version-work.ts'
import { lookAtPart } from '../../src/changes/watches/look-work.ts'
import { isSigned } from '../../src/network/membership/signing.ts'
import { BrowserError, type PageBrowser } from '../../src/platform/network/browser.ts'
import type { PeerNetwork } from '../../src/platform/network/peer-network.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import { simulatedPrivateFiles } from '../../src/platform/simulated/private-files.ts'
import { inlineWorkers } from '../../src/platform/workers.ts'
import { readForSearch } from '../../src/search/text/text-work.ts'
import { checkCopies } from '../../src/store/copying/copy-check.ts'
import type { Pause } from '../sites/pause.ts'
import type { HttpDoors } from './http-doors.ts'
import type { OriginWeb } from './origin-web.ts'
import { SimulatedBrowser } from './simulated-browser.ts'
import { type Addresses, SimulatedPeerNetwork } from './simulated-peer-network.ts'

export interface PlatformParts {
  readonly web: OriginWeb
  readonly doors: HttpDoors
  readonly addresses: Addresses
  readonly programFiles: ProgramFiles
  /** Told of each page that a browser of this machine shows; undefined where it has none. */
  readonly whenShown?: ((href: string) => void) | undefined
  /** What stands between the peer and its network. */
  readonly between?: ((network: PeerNetwork) => PeerNetwork) | undefined
}

/** For all simulations of this process. */
export async function loadProgramFiles(): Promise<ProgramFiles> {
  const [assets, files] = await Promise.all([loadPageAssets(), ownFileSources()])
  return {
    pageAssets: async () => assets,
    documentation: async () => ({ file: async () => undefined }),
    replayFiles: async () => files,
  }
}

const missing = async (): Promise<never> => {
  throw new BrowserError('browser-missing', 'This simulated machine has no browser.')
}
const noBrowser: PageBrowser = { ready: missing, show: missing, close: async () => {} }

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
      pages: () =>
        inlineWorkers((task) =>
          doThreadTask({ clock, random, compressor, compareVersions, lookAtPart }, task),
        ),
      copies: () => inlineWorkers(checkCopies),
      comparisons: () => inlineWorkers(compareDocuments),
      search: () => inlineSearch({ clock, disk, keyValues }),
      texts: () => inlineWorkers(readForSearch),
      isSigned,
    },
    startWeb: async () => web.seenBy(name, clock),
    startBrowser: async () => {
      const { whenShown } = parts
      return whenShown === undefined ? noBrowser : new SimulatedBrowser({ clock, whenShown })
    },
    openProfileWindow: async () => {
      throw new BrowserError('browser-missing', 'Simulated machines have no browser.')
    },
    startHttpServer: async (options, handler) => doors.open(name, options, handler),
    startNetwork: async (options) => {
      const network = new SimulatedPeerNetwork({ clock, wire, addresses }, options, random.below(2 ** 32))
      return parts.between?.(network) ?? network
    },
    lookUpText: async () => [],
    openPaths: async () => ({ check: async (path) => path }),
    machine: () => ({ load: 0, cores: 1, memoryBytes: 0, freeMemoryBytes: 0, upMs: 0 }),
    keepHeapSmall: () => {},
    breathe: async () => {},
  }
}
