// `polyhistor get URL`: an archived page on standard output.

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { parseHttpHead } from '../../record/http-message.ts'
import { type Url, urlFromTyped } from '../../record/url.ts'
import type { Capture, Store } from '../../store-library.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { timeSpan } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { withStore } from '../with-store.ts'

interface Options {
  at?: string
  notNewer?: boolean
  headers?: boolean
  decode?: boolean
}

export async function printCapture(context: Context, words: string[], options: Options): Promise<ExitCode> {
  const { terminal } = context
  const url = urlFromTyped(words[0]!)
  if (options.notNewer && options.at === undefined) throw new UsageError('--not-newer goes with --at TIME.')
  return withStore(context, async (store) => {
    const capture = find(store, url, options)
    if (capture === undefined) {
      terminal.tell(
        `There is no such version of ${url.href} in this archive. See: polyhistor versions ${url.href}`,
      )
      return exitCodes.no
    }
    const answer = await store.read(capture)
    if (options.headers && answer.head !== undefined) await terminal.print(answer.head)
    const encoding = answer.head && parseHttpHead(answer.head)?.headers.get('Content-Encoding')
    await printPayload(terminal, answer.payload(), options.decode ? encoding : undefined)
    return exitCodes.ok
  })
}

function find(store: Store, url: Url, { at, notNewer }: Options): Capture | undefined {
  if (at === undefined) return store.newestNotNewer(url, Number.MAX_SAFE_INTEGER / 64)
  const { fromMs, toMs } = timeSpan('--at', at)
  return notNewer ? store.newestNotNewer(url, toMs - 1) : store.nearest(url, fromMs)
}

async function printPayload(
  terminal: Terminal,
  payload: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): Promise<void> {
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase())
  const decoders = names.reverse().flatMap(decoderOf)
  if (decoders.length === 0) for await (const chunk of payload) await terminal.print(chunk)
  else {
    await pipeline([Readable.from(payload), ...decoders], async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) await terminal.print(chunk)
    })
  }
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return [createGunzip()]
    case 'deflate':
      return [createInflate()]
    case 'br':
      return [createBrotliDecompress()]
    case 'zstd':
      return [createZstdDecompress()]
    case '':
    case 'identity':
      return []
    default:
      throw new UsageError(
        `This page came with Content-Encoding ${encoding}, which cannot be undone here. Leave out --decode.`,
      )
  }
}
