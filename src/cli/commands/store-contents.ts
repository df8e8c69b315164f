// `polyhistor store put|get|delete`: contents by key.

import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PolyhistorError } from '../../errors.ts'
import { Digester } from '../../record/digest.ts'
import {
  type LargeContent,
  type PutOptions,
  parseContentKey,
  printContentKey,
  type Store,
} from '../../store-library.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { InputFileError } from '../input-file-error.ts'
import { withStore } from '../with-store.ts'

/** Larger files are read twice, once to know their digest, and never held in memory. */
const wholeBytesMax = 16 * 1024 * 1024

export async function putFiles(
  context: Context,
  files: string[],
  options: PutOptions & { type?: string },
): Promise<ExitCode> {
  const { terminal, isJson } = context
  const { type, ...rest } = options
  return withStore(context, async (store) => {
    let hasFailed = false
    for (const file of files) {
      try {
        const key = printContentKey(await putFile(store, file, { ...rest, contentType: type }))
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
  })
}

export async function getContent(context: Context, [key]: string[]): Promise<undefined> {
  await withStore(context, async (store) => {
    for await (const chunk of store.get(parseContentKey(key!))) await context.terminal.print(chunk)
  })
}

export async function deleteContents(context: Context, keys: string[]): Promise<ExitCode> {
  const { terminal } = context
  const parsed = keys.map(parseContentKey)
  return withStore(context, async (store) => {
    let hasFailed = false
    for (const key of parsed) {
      try {
        await store.delete(key)
      } catch (error) {
        if (!(error instanceof PolyhistorError) || error.code !== 'store-not-found') throw error
        hasFailed = true
        terminal.tell(`polyhistor: ${error.message}`)
      }
    }
    return hasFailed ? exitCodes.no : exitCodes.ok
  })
}

async function putFile(store: Store, file: string, options: PutOptions) {
  if (file === '-') return putStandardInput(store, options)
  try {
    const info = await stat(file)
    if (!info.isFile()) throw new InputFileError(file, 'it is not a file')
    const content =
      info.size <= wholeBytesMax ? await wholeOf(createReadStream(file)) : await largeContent(file)
    return await store.put(content, options)
  } catch (error) {
    throw isAboutFile(error, file) ? new InputFileError(file, error) : error
  }
}

/** What may be of any length goes through a file: its digest must be known before it is stored. */
async function putStandardInput(store: Store, options: PutOptions) {
  const spool = join(store.folder, `standard-input-${process.pid}.spool`)
  try {
    await pipeline(process.stdin, createWriteStream(spool))
    return await store.put(await largeContent(spool), options)
  } finally {
    await rm(spool, { force: true })
  }
}

function isAboutFile(error: unknown, file: string): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && (error as NodeJS.ErrnoException).path === file
}

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function largeContent(file: string): Promise<LargeContent> {
  const digester = new Digester('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(file)) {
    digester.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, digest: digester.finish(), chunks: () => createReadStream(file) }
}
