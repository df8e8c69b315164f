// `polyhistor store put|get|delete`: contents by key.

import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { contentOf } from '../../../app/store/file-content.ts'
import {
  type ContentKey,
  type PutOptions,
  parseContentKey,
  printContentKey,
  type Store,
} from '../../../app/store/store-library.ts'
import { PolyhistorError } from '../../../errors.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { openInputFile } from '../../input/input-file.ts'
import { InputFileError } from '../../input/input-file-error.ts'
import { namedPath } from '../../peer/named-path.ts'
import { type PeerClient, PeerError } from '../../peer/peer-client.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'
import { storeFolder } from '../../with-store.ts'

type Options = Pick<PutOptions, 'mode' | 'folder'> & { type?: string }

export async function putFiles(context: Context, files: string[], options: Options): Promise<ExitCode> {
  return withArchive(context, {
    store: (store) => putAll(context, files, (file) => putInStore(store, file, options)),
    peer: (peer) => putAll(context, files, (file) => putThrough(peer, file, options)),
  })
}

export async function getContent(context: Context, [text]: string[]): Promise<undefined> {
  const key = parseContentKey(text!)
  await withArchiveToRead(context, {
    store: (store) => printAll(context, store.get(key)),
    peer: (peer) => printAll(context, contentFrom(peer, key)),
  })
}

export async function deleteContents(context: Context, keys: string[]): Promise<ExitCode> {
  const parsed = keys.map(parseContentKey)
  return withArchive(context, {
    store: (store) => deleteAll(context, parsed, (key) => store.delete(key)),
    peer: (peer) => deleteAll(context, parsed, (key) => peer.delete(pathOf(key))),
  })
}

async function putAll(
  context: Context,
  files: string[],
  put: (file: string) => Promise<string>,
): Promise<ExitCode> {
  const { terminal, isJson } = context
  let hasFailed = false
  for (const file of files) {
    try {
      const key = file === '-' ? await putStandardInput(context, put) : await put(file)
      if (isJson) await terminal.printJson({ file, key })
      else await terminal.printLine(key)
    } catch (error) {
      // The other files may still be fine; what is wrong with the store concerns them all.
      if (!(error instanceof InputFileError)) throw error
      hasFailed = true
      terminal.tell(`polyhistor: ${error.message}`)
    }
  }
  return hasFailed ? exitCodes.no : exitCodes.ok
}

/** What may be of any length goes through a file: its digest must be known before it is stored. */
async function putStandardInput(context: Context, put: (file: string) => Promise<string>): Promise<string> {
  const folder = join(storeFolder(context), 'spool')
  const file = join(folder, `standard-input-${process.pid}`)
  try {
    await mkdir(folder, { recursive: true })
    await pipeline(process.stdin, createWriteStream(file))
    return await put(file)
  } finally {
    await rm(file, { force: true })
  }
}

async function putInStore(store: Store, path: string, { type, ...options }: Options): Promise<string> {
  const file = await openInputFile(path)
  try {
    return printContentKey(await store.put(await contentOf(file), { ...options, contentType: type }))
  } finally {
    await file.close()
  }
}

/** The peer reads the file itself, from the disk that we share with it. */
async function putThrough(peer: PeerClient, path: string, { folder, ...options }: Options): Promise<string> {
  await (await openInputFile(path)).close()
  const request = { ...(await namedPath(peer, path)), folder: folder && resolve(folder), ...options }
  return (await peer.post<{ key: string }>('/api/v1/contents', request)).key
}

async function printAll({ terminal }: Context, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) await terminal.print(chunk)
}

async function* contentFrom(peer: PeerClient, key: ContentKey): AsyncGenerator<Uint8Array> {
  const open = () => peer.open(pathOf(key), {}, { accept: '*/*' })
  const response = await open()
  try {
    yield* peer.body(response)
  } catch (error) {
    // Cut off because the rest is damaged? Then the peer knows by now, and says so.
    if (error instanceof PeerError) await (await open()).body?.cancel()
    throw error
  }
}

async function deleteAll(
  { terminal }: Context,
  keys: ContentKey[],
  remove: (key: ContentKey) => Promise<unknown>,
): Promise<ExitCode> {
  let hasFailed = false
  for (const key of keys) {
    try {
      await remove(key)
    } catch (error) {
      if (!(error instanceof PolyhistorError) || error.code !== 'store-not-found') throw error
      hasFailed = true
      terminal.tell(`polyhistor: ${error.message}`)
    }
  }
  return hasFailed ? exitCodes.no : exitCodes.ok
}

function pathOf(key: ContentKey): string {
  return `/api/v1/contents/${encodeURIComponent(printContentKey(key))}`
}
