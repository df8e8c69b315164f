// What the doctor does when it is told to mend: each in the way in which the program does it by itself elsewhere. No volume, setting
// or key is removed or changed.
//
// Leftovers and the store are mended with the home's lock held, so that no process begins to use what is being removed.

import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../platform/log.ts'
import { browserExecutable } from '../../platform/real/browser/executable.ts'
import { removeLeftovers } from '../../platform/real/browser/leftovers.ts'
import { RealHomeLock } from '../../platform/real/disk/home-lock.ts'
import { describeHomeNetwork } from '../ring/home-network.ts'
import { openStore, rebuildStoreIndex, type StoreOptions } from '../store/store-library.ts'
import type { Mend } from './checkup.ts'
import { homeFacts, leftoversIn } from './home-facts.ts'

export interface MendNeeds {
  readonly home: string
  readonly log: Log
  readonly storeOptions: Partial<StoreOptions>
  /** A word to the owner, before something that takes long. */
  readonly tell: (sentence: string) => void
}

/** Gives what was done, for the owner. Rejects when it cannot be done. */
export const mends: Record<Mend, (needs: MendNeeds) => Promise<string>> = {
  privacy: async ({ home }) => {
    const { openToOthers } = await homeFacts(home)
    for (const name of openToOthers)
      if (name === home) await chmod(home, 0o700)
      else await chmod(join(home, name), 0o600)
    return 'Only its owner can read the home from now on.'
  },
  leftovers: async ({ home }) => {
    const store = join(home, 'store')
    const lock = await new RealHomeLock().hold(store)
    try {
      // The holder is this process now, and takes its file away when it lets go.
      const found = (await leftoversIn(home)).filter(({ name }) => name !== 'store/holder.json')
      // Browsers that still run are ended first, or they would write there again.
      if (found.some(({ name }) => name.startsWith('crawl/browser/')))
        await removeLeftovers(join(home, 'crawl', 'browser'))
      for (const { name } of found) await rm(join(home, name), { recursive: true, force: true })
      return 'What killed processes left behind is gone.'
    } finally {
      await lock.release()
    }
  },
  mark: async (needs) => {
    await openAndClose(needs)
    return 'The format mark was written anew: the volumes are of this program.'
  },
  unclosed: async (needs) => {
    await openAndClose(needs)
    return 'The store was opened, its index looked at, and closed again.'
  },
  index: async ({ home, storeOptions }) => {
    const report = await rebuildStoreIndex(join(home, 'store'), {
      ...pickedOf(storeOptions),
      // Other peers of a network have them where they were.
      refilesRequests: (await describeHomeNetwork(home)) === undefined,
    })
    const aside = report.oldIndex === undefined ? '' : ` The old one is in ${report.oldIndex}.`
    return `The index was made anew from ${report.volumes} volumes: ${report.captures} captures, ${report.damagedCount} damaged stretches, ${report.missing} missing.${aside}`
  },
  browser: async ({ home, tell }) => {
    const path = await browserExecutable({ path: '', fetchFolder: fetchFolderOf(home), tell })
    return `A browser was fetched: ${path}.`
  },
}

/** Where a crawl looks for it, too. */
export function fetchFolderOf(home: string): string {
  return join(home, 'crawl', 'fetched-browser')
}

async function openAndClose({ home, log, storeOptions }: MendNeeds): Promise<void> {
  await (await openStore(join(home, 'store'), { ...storeOptions, log })).close()
}

function pickedOf({ indexBytesMax, volumeBytesMax }: Partial<StoreOptions>) {
  return {
    ...(indexBytesMax !== undefined && { indexBytesMax }),
    ...(volumeBytesMax !== undefined && { volumeBytesMax }),
  }
}
