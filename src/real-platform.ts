// The platform that there is: this machine's clock, disks, threads and sockets.
//
// What only some commands need is loaded when it is asked for: a command that crawls need not wait for it.

import type { Comparison, ComparisonWork } from './compare/comparison.ts'
import { isSignedAsync } from './network/signing.ts'
import { pageThreads } from './page-threads.ts'
import { AllowedPaths } from './peer/allowed-paths.ts'
import { copyThreads } from './peer/copies/copy-threads.ts'
import type { Platform } from './platform.ts'
import { keepHeapSmall } from './world/real/heap-room.ts'
import { localReadingWorld, localWorld } from './world/real/local-world.ts'
import { realPrivateFiles } from './world/real/private-files.ts'
import { startWeb } from './world/real/web.ts'
import { RealWorkers } from './world/real/workers.ts'

const compiled = import.meta.url.endsWith('.js')
const comparisonModule = new URL(`./compare/comparison.${compiled ? 'js' : 'ts'}`, import.meta.url)
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
      isSigned: isSignedAsync,
    },
    programFiles: {
      pageAssets: async () => (await import('./peer/page-assets.ts')).loadPageAssets(),
      replayFiles: async () => (await import('./peer/store-replay.ts')).ownFileSources(),
    },
    processId: process.pid,
    startWeb: (options) => startWeb(world, options),
    startHttpServer: async (options, handler) =>
      (await import('./world/real/http-server.ts')).startHttpServer(options, handler),
    startNetwork: async (options) => (await import('./world/real/network.ts')).startNetwork(options),
    lookUpText: async (name) => (await import('./world/real/network-names.ts')).lookUpText(name),
    openPaths: (home, folders) => AllowedPaths.open(home, folders),
    keepHeapSmall,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
  }
}
