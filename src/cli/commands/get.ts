// `polyhistor get URL`: an archived page on standard output.

import type { Capture, Store } from '../../app/store/store-library.ts'
import { areKnown, codingsOf } from '../../formats/content-coding/codings.ts'
import { decodedStream } from '../../formats/content-coding/decoded-stream.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { anyTime, chooseCapture } from '../../model/capture-choice.ts'
import { digitsOfSpan } from '../../model/timestamp.ts'
import { type Url, urlFromTyped } from '../../model/url/url.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { timeSpan } from '../input/option-values.ts'
import type { Terminal } from '../output/terminal.ts'
import { type PeerClient, PeerError } from '../peer/peer-client.ts'
import { withArchiveToRead } from '../peer/running-peer.ts'
import { UsageError } from '../usage-error.ts'

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
  const answer = await withArchiveToRead(context, {
    // The store must stay open while the payload is read, so it is printed inside.
    store: async (store) => {
      const capture = await find(store, url, options)
      return capture && print(context, url, { ...(await store.read(capture)), url: capture.url }, options)
    },
    peer: async (peer) => {
      const found = await captureOf(peer, url, options)
      return found && print(context, url, found, options)
    },
  })
  if (answer !== undefined) return answer
  terminal.tell(
    `There is no such version of ${url.href} in this archive. See: polyhistor versions ${url.href}`,
  )
  return exitCodes.no
}

interface Found {
  /** As it was captured. */
  readonly url: string
  readonly head: Uint8Array | undefined
  payload(): AsyncIterable<Uint8Array>
}

async function print(
  { terminal, isQuiet }: Context,
  url: Url,
  { url: shown, head, payload }: Found,
  options: Options,
): Promise<ExitCode> {
  if (shown !== url.href && !isQuiet)
    terminal.tell(`This is ${shown}: ${url.href} is not in this archive near that time.`)
  if (options.headers && head !== undefined) await terminal.print(head)
  const encoding = head && parseHttpHead(head)?.headers.get('Content-Encoding')
  if (await printDecoded(terminal, payload(), options.decode ? encoding : undefined)) return exitCodes.ok
  terminal.tell(`The rest cannot be decoded: what the server sent as ${encoding} breaks off or is damaged.`)
  return exitCodes.no
}

/** Head and payload come as one: a header tells where one ends and the other begins. */
async function captureOf(peer: PeerClient, url: Url, { at, notNewer }: Options): Promise<Found | undefined> {
  const span = at === undefined ? undefined : timeSpan('--at', at)
  try {
    const response = await peer.open('/api/v1/capture', {
      url: url.href,
      at: span && digitsOfSpan(span),
      policy: notNewer ? 'not-newer' : undefined,
    })
    const headBytes = Number(response.headers.get('Polyhistor-Head-Bytes'))
    const chunks = peer.body(response)
    const parts: Uint8Array[] = []
    let length = 0
    while (length < headBytes) {
      const { value, done } = await chunks.next()
      if (done) break
      parts.push(value)
      length += value.length
    }
    const start = Buffer.concat(parts)
    return {
      url: response.headers.get('Polyhistor-Url') ?? url.href,
      head: headBytes === 0 ? undefined : start.subarray(0, headBytes),
      payload: async function* () {
        yield start.subarray(headBytes)
        yield* chunks
      },
    }
  } catch (error) {
    if (error instanceof PeerError && error.code === 'not-archived') return undefined
    throw error
  }
}

function find(store: Store, url: Url, { at, notNewer }: Options): Promise<Capture | undefined> {
  const span = at === undefined ? anyTime : timeSpan('--at', at)
  return chooseCapture((of, range) => [...store.versions(of, range)], {
    url,
    span,
    policy: notNewer ? 'not-newer' : 'nearest',
  })
}

/** Whether all of it could be decoded. */
async function printDecoded(
  terminal: Terminal,
  payload: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): Promise<boolean> {
  const codings = codingsOf(encoding)
  if (!areKnown(codings)) {
    throw new UsageError(
      `This page came with Content-Encoding ${encoding}, which cannot be undone here. Leave out --decode.`,
    )
  }
  const decoded = decodedStream(payload, codings)
  for (;;) {
    const { value, done } = await decoded.next()
    if (done) return value === 'whole'
    await terminal.print(value)
  }
}
