// Fetches captures that another peer holds and we do not.
//
// While one page is being taken the next is on its way. What rests on something that is not here is fetched whole at last.
// A peer that does not give what it said it holds, or gives it wrong, is found out: who asked tries another.

import type { PeerId } from '../../world/network.ts'
import { textOfId } from '../comparison/difference.ts'
import { nextKey } from '../sums/key-range.ts'
import { idBytes } from '../sums/tally.ts'
import type { CaptureTaking } from './capture-taking.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import type { HeldCaptures } from './held-captures.ts'
import { sendLacking } from './lacking.ts'
import type { Traffic } from './traffic.ts'
import type { FetchedPage, Outcome } from './wire/answers.ts'
import { type SentCapture, type Want, wantsMax } from './wire/questions.ts'

export interface FetchOptions {
  signal?: AbortSignal | undefined
  /** Resolves when it is time to go on after so many bytes. */
  pace?(bytes: number): Promise<void>
}

export interface FetchReport {
  /** New here. */
  kept: number
  /** Cannot be had from this peer: not given, or wrong. */
  failed: number
}

interface Progress {
  kept: number
  /** By us, for good: taken down here. */
  readonly refused: Set<string>
  readonly failed: Set<string>
}

const pageBytes = 1024 * 1024
/** So many that rest on something else are remembered, then they are seen to. */
const lackingMax = 512
/** Who gives so many wrong ones is not asked any more this time. */
const failedMax = 1_000

export class Fetching {
  readonly #held: HeldCaptures
  readonly #calls: CopiesCalls
  readonly #taking: CaptureTaking
  readonly #traffic: Traffic

  constructor(needs: { held: HeldCaptures; calls: CopiesCalls; taking: CaptureTaking; traffic: Traffic }) {
    this.#held = needs.held
    this.#calls = needs.calls
    this.#taking = needs.taking
    this.#traffic = needs.traffic
  }

  /** Throws when the peer cannot be reached, and the store's error when there is no room here. */
  async fetch(peer: PeerId, wants: readonly Want[], options: FetchOptions = {}): Promise<FetchReport> {
    const report = { kept: 0, refused: new Set<string>(), failed: new Set<string>() }
    let lacking: Uint8Array[] = []
    const settle = async (): Promise<void> => {
      const some = lacking
      lacking = []
      for (const key of await this.#fetchLacking(peer, some, options, report)) report.failed.add(idOf(key))
    }
    const onLacking = async (keys: readonly Uint8Array[]): Promise<void> => {
      lacking.push(...keys)
      if (lacking.length >= lackingMax) await settle()
    }
    for (let at = 0; at < wants.length; at += wantsMax) {
      const some = wants.slice(at, at + wantsMax)
      await this.#fetchAll(peer, some, { ...options, isWhole: false, onLacking }, report)
    }
    await settle()
    for (const id of this.#missing(wants)) if (!report.refused.has(id)) report.failed.add(id)
    return { kept: report.kept, failed: report.failed.size }
  }

  /** Gives those that cannot be had. */
  #fetchLacking(
    peer: PeerId,
    lacking: readonly Uint8Array[],
    options: FetchOptions,
    report: Progress,
  ): Promise<Uint8Array[]> {
    return sendLacking(lacking, async (keys, isWhole) => {
      const still: Uint8Array[] = []
      const onLacking = async (some: readonly Uint8Array[]): Promise<void> => void still.push(...some)
      for (let at = 0; at < keys.length; at += wantsMax) {
        const wants = keys.slice(at, at + wantsMax).map(wantOf)
        await this.#fetchAll(peer, wants, { ...options, isWhole, onLacking }, report)
      }
      return still
    })
  }

  async #fetchAll(
    peer: PeerId,
    wants: readonly Want[],
    options: FetchOptions & {
      isWhole: boolean
      onLacking(keys: readonly Uint8Array[]): Promise<void>
    },
    report: Progress,
  ): Promise<void> {
    const { isWhole, signal, pace, onLacking } = options
    const ask = (some: readonly Want[]): Promise<FetchedPage> =>
      this.#calls.fetch(peer, { wants: some, isWhole, bytesMax: pageBytes }, signal)
    let page: FetchedPage | undefined = await ask(wants)
    let rest = wants
    while (page !== undefined) {
      const left: Want[] = page.next === undefined ? [] : remaining(rest, page)
      const coming: Promise<FetchedPage> | undefined = left.length > 0 ? ask(left) : undefined
      // Whatever goes wrong with this page, nobody is left alone with that one's failure.
      coming?.catch(() => {})
      const { captures } = page
      const bytes = captures.reduce((sum, capture) => sum + (capture.bytes?.length ?? 0), 0)
      this.#traffic.countIn(bytes)
      const outcomes = await this.#take(peer, captures, signal)
      for (const [index, outcome] of outcomes.entries()) {
        const { key } = captures[index]!
        if (outcome === 'kept') report.kept++
        else if (outcome === 'taken-down') report.refused.add(idOf(key))
        else if (outcome !== 'known' && outcome !== 'lacking') report.failed.add(idOf(key))
      }
      if (outcomes.includes('full'))
        throw new CopiesError('copies-no-room', 'There is no room here for more copies')
      if (report.failed.size > failedMax)
        throw new CopiesError('copies-peer-wrong', `Peer ${peer} gives what is no capture, again and again`)
      await onLacking(captures.filter((_, index) => outcomes[index] === 'lacking').map(({ key }) => key))
      await pace?.(bytes)
      page = await coming
      rest = left
    }
  }

  #take(peer: PeerId, captures: readonly SentCapture[], signal?: AbortSignal): Promise<Outcome[]> {
    return this.#taking.take(
      captures.map(({ key, isWhole, bytes }) => ({
        key,
        copy: () => bytes ?? this.#counted(this.#calls.pieces(peer, { key, isWhole }, signal)),
      })),
    )
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#traffic.countIn(chunk.length)
      yield chunk
    }
  }

  /** Of those that were asked for by id, which are still not here? They were said to be there. */
  #missing(wants: readonly Want[]): string[] {
    return wants.flatMap(({ range, ids }) => {
      if (ids === undefined) return []
      const wanted = new Set(ids.map(textOfId))
      for (const { id } of this.#held.sums.entries(range)) wanted.delete(textOfId(id))
      return [...wanted]
    })
  }
}

function idOf(key: Uint8Array): string {
  return textOfId(key.subarray(-idBytes))
}

/** A want for this one alone. */
function wantOf(key: Uint8Array): Want {
  return { range: { from: key, to: nextKey(key) }, ids: [key.slice(-idBytes)] }
}

/** What is left after a page. Each must bring something and go on forwards: so it ends, whatever the other says. */
function remaining(wants: readonly Want[], { captures, next }: FetchedPage): Want[] {
  const [first, ...others] = wants.slice(next!.want)
  const { from, to } = first!.range
  const order = Buffer.compare(next!.from, from)
  if (captures.length === 0 || order < 0 || (order === 0 && next!.want === 0))
    throw new CopiesError('copies-peer-wrong', 'The other peer goes round in circles')
  const isOver = to !== undefined && Buffer.compare(next!.from, to) >= 0
  return isOver ? others : [{ ...first!, range: { from: next!.from, to } }, ...others]
}
