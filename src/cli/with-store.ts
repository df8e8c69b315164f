// Opens the store of the home for one command, and closes it whatever happens.

import { join } from 'node:path'
import { openStore, openStoreToRead, type Store, type StoreOptions } from '../app/store/store-library.ts'
import type { Values } from '../config/settings.ts'
import type { Context } from './context.ts'
import { guardIndex } from './crash-guard.ts'
import { preparePrivateHome } from './home-folder.ts'
import { UsageError } from './usage-error.ts'

type More = Partial<Pick<StoreOptions, 'share' | 'volumeBytesMax' | 'reserveBytes'>>

export function withStore<T>(
  context: Context,
  work: (store: Store) => Promise<T>,
  more: More = {},
): Promise<T> {
  return withOpened(context, work, (options) => openStore(storeFolder(context), { ...options, ...more }))
}

/** For looking at what is there, which can be done on a disk that is full or read-only. */
export function withStoreToRead<T>(context: Context, work: (store: Store) => Promise<T>): Promise<T> {
  return withOpened(context, work, (options) => openStoreToRead(storeFolder(context), options))
}

async function withOpened<T>(
  context: Context,
  work: (store: Store) => Promise<T>,
  open: (options: ReturnType<typeof storeOptionsFrom> & { log: Context['log'] }) => Promise<Store>,
): Promise<T> {
  if (context.peerUrl !== undefined)
    throw new UsageError('This command works on a home itself: leave out --peer, and say which with --home.')
  await preparePrivateHome(context)
  const endGuard = await guardIndex(storeFolder(context))
  try {
    const store = await open({ ...storeOptionsFrom(context.configuration.values), log: context.log })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } finally {
    endGuard()
  }
}

export function storeFolder(context: Context): string {
  return join(context.home.folder, 'store')
}

export function storeOptionsFrom(values: Values) {
  const kind = values['store.compression']
  const options = {
    compression: kind === 'none' ? { kind } : { kind, level: values['store.compressionLevel'] },
    volumeBytesMax: values['store.volumeSize'],
    reserveBytes: values['store.reserve'],
    indexBytesMax: values['store.indexSize'],
    deltaChainMax: values['store.deltas'] ? values['store.deltaChain'] : 0,
    takedownUndoMs: values['store.takedownUndo'],
    bucketCacheBytes: values['store.bucketCache'],
  }
  return options satisfies Partial<StoreOptions>
}
