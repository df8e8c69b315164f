// What the old index knew and the new one does not: captures whose volume is gone or cannot be read. They are not forgotten
// silently; nor is what was dropped and destroyed before.

import { AssertionError } from 'node:assert/strict'
import { dirname } from 'node:path'
import type { Disk } from '../../platform/storage/disk.ts'
import type { KeyValues } from '../../platform/storage/key-value.ts'
import { CaptureAccounts } from '../index/capture-accounts.ts'
import { StoreIndex } from '../index/store-index.ts'

const entriesAtOnce = 1_000

/** Gives how many are missing; as far as the old index can be read, for that may be why it is made anew. */
export async function noteMissing(
  { disk, keyValues }: { disk: Disk; keyValues: KeyValues },
  oldPath: string,
  index: StoreIndex,
): Promise<number> {
  const accounts = new CaptureAccounts(index)
  if ((await disk.stat(oldPath)) === undefined) return 0
  try {
    const map = await keyValues.open(oldPath, { hasJournal: true })
    try {
      const old = new StoreIndex(map, dirname(oldPath))
      const before = new CaptureAccounts(old)
      await index.changeForGood(() => accounts.countRemoved(before.removed))
      await missAll(index, accounts, before.missed())
      await missAll(index, accounts, recordIds(old))
    } finally {
      await map.close()
    }
  } catch (error) {
    if (error instanceof AssertionError) throw error
    // What it still told is noted.
  }
  return accounts.missing
}

function* recordIds(old: StoreIndex): Generator<Uint8Array> {
  for (const [, id] of old.captureIds({})) yield Uint8Array.from(id)
}

async function missAll(
  index: StoreIndex,
  accounts: CaptureAccounts,
  ids: Iterable<Uint8Array>,
): Promise<void> {
  let some: Uint8Array[] = []
  const flush = async () => {
    const lost = some.filter((id) => index.record(id) === undefined)
    some = []
    if (lost.length > 0) await index.changeForGood(() => accounts.miss(lost))
  }
  for (const id of ids) {
    some.push(id)
    if (some.length >= entriesAtOnce) await flush()
  }
  await flush()
}
