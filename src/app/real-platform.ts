// The platform that there is: this machine's clock, disks, threads and sockets.
//
// What only some commands need is loaded when it is asked for: a command that crawls need not wait for it.

import type { Comparison, ComparisonWork } from '../changes/page-change/difference/comparison.ts'
import { isSignedAsync } from '../network/membership/signing.ts'
import { programModule } from '../platform/program-files.ts'
import { localReadingWorld, localWorld } from '../platform/real/local-world.ts'
import { machineState } from '../platform/real/machine.ts'
import { realPrivateFiles } from '../platform/real/private-files.ts'
import { keepHeapSmall } from '../platform/real/threads/heap-room.ts'
import { RealWorkers } from '../platform/real/threads/workers.ts'
import { startWeb } from '../platform/real/web/web.ts'
import { AllowedPaths } from './http/allowed-paths.ts'
import type { Platform } from './platform.ts'
import { copyThreads } from './threads/copy-threads.ts'
import { pageThreads } from './threads/page-threads.ts'
import { searchThread, textThread } from './threads/search-threads.ts'

const comparisonModule = programModule('changes/page-change/difference/comparison')
const comparisonThreads = 1

export function realPlatform(): Platform {
  return platformOn(localWorld())
}

/** The same, but nothing is written to any disk. */
export function realReadingPlatform(): Platform {
  return platformOn(localReadingWorld())
}

function platformOn(world: ReturnType<typeof localWorld>): Platform {
  return {
    ...world,
    files: realPrivateFiles,
    threads: {
      pages: (count) => pageThreads(count),
      copies: () => copyThreads(),
      comparisons: () => new RealWorkers<ComparisonWork, Comparison>(comparisonModule, comparisonThreads),
      search: () => searchThread(),
      texts: () => textThread(),
      isSigned: isSignedAsync,
    },
    programFiles: {
      pageAssets: async () => (await import('./pages/page-assets.ts')).loadPageAssets(),
      documentation: async () => (await import('./pages/documentation-files.ts')).documentationFiles(),
      replayFiles: async () => (await import('./pages/store-replay.ts')).ownFileSources(),
    },
    processId: process.pid,
    startWeb: (options) => startWeb(world, options),
    startBrowser: async (options) =>
      new (await import('../platform/real/browser/browser.ts')).RealBrowser(options),
    openProfileWindow: async (options) =>
      (await import('../platform/real/browser/profile-window.ts')).openProfileWindow(options),
    startHttpServer: async (options, handler) =>
      (await import('../platform/real/http-server/http-server.ts')).startHttpServer(options, handler),
    startNetwork: async (options) =>
      (await import('../platform/real/network/network.ts')).startNetwork(options),
    lookUpText: async (name) => (await import('../platform/real/network/names.ts')).lookUpText(name),
    openPaths: (home, folders) => AllowedPaths.open(home, folders),
    machine: machineState,
    keepHeapSmall,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
