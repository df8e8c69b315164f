// Shares small work with a thread beside this one, through memory that both see: a message would cost as much as the work.
//
// Both take from one line, as they come to it; who comes alone is served here, at once. The thread is started when company
// lasts, given nothing before it is ready, and ended when it has had nothing to do for a while. What it had when it ends, or
// cannot do, is done here.
// Now and then the event loop has its turn, however much is asked for.

import assert from 'node:assert/strict'
import { Worker } from 'node:worker_threads'
import { programModule } from '../../program-files.ts'
import type { SideTask, SideWork } from '../../side-work.ts'
import { notDone, SideMemory, slotsMax } from './side-memory.ts'

interface Asked {
  readonly task: SideTask
  resolve(output: Uint8Array | undefined): void
  reject(error: unknown): void
}

interface Side {
  readonly worker: Worker
  readonly memory: SideMemory
  /** What it has, in order. */
  readonly given: Asked[]
  asked: number
  isReady: boolean
  isWaitedFor: boolean
}

/** That the thread has: what it does and some more, so that it need not wait for this one. */
const givenMax = 5
assert(givenMax <= slotsMax)
/** Turns in company before the thread is started. */
const companyTurnsMin = 200
/** Turns after which others have theirs. */
const turnsInRow = 32
const idleMsMax = 10_000
/** Of one thread: its counts have 32 bits. */
const tasksMax = 2 ** 30

export class RealSideWork implements SideWork {
  readonly #module: URL
  readonly #waiting: Asked[] = []
  #side: Side | undefined
  #idle: NodeJS.Timeout | undefined
  #isTurnComing = false
  #turns = 0
  #companyTurns = 0
  #isClosed = false

  /** `module` exports `work(input)`. */
  constructor(module: URL) {
    this.#module = module
  }

  run(task: SideTask): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      this.#comeToTurn()
    })
  }

  /** What was asked for before is done all the same, and what comes later. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  #comeToTurn(): void {
    if (this.#isTurnComing) return
    this.#isTurnComing = true
    const turn = (): void => this.#turn()
    if (++this.#turns % turnsInRow === 0) setImmediate(turn)
    else process.nextTick(turn)
  }

  #turn(): void {
    this.#isTurnComing = false
    if (this.#waiting.length > 1) this.#companyTurns++
    const side = this.#side ?? this.#startIfWorthwhile()
    if (side?.isReady) this.#share(side)
    const next = this.#waiting.shift()
    if (next !== undefined) doHere(next)
    if (this.#waiting.length > 0) this.#comeToTurn()
    else if (side !== undefined && side.given.length > 0) this.#waitFor(side)
  }

  #share(side: Side): void {
    this.#take(side)
    while (this.#waiting.length > 1 && side.given.length < givenMax && side.asked < tasksMax)
      this.#give(side, this.#waiting.shift()!)
    if (side.asked >= tasksMax) void this.#end()
  }

  #give(side: Side, asked: Asked): void {
    const { memory, given } = side
    const length = asked.task.fill(memory.input(side.asked))
    if (length === undefined) {
      doHere(asked)
      return
    }
    if (given.length === 0) side.worker.ref()
    given.push(asked)
    memory.ask(side.asked++, length)
    this.#idle?.refresh()
  }

  #take(side: Side): void {
    const { memory, given } = side
    if (given.length === 0) return
    for (let left = memory.answered - (side.asked - given.length); left > 0; left--) {
      const number = side.asked - given.length
      const asked = given.shift()!
      const length = memory.outputLength(number)
      if (length === notDone) doHere(asked)
      // A copy: the slot is used again.
      else asked.resolve(new Uint8Array(memory.output(number, length)))
    }
    if (given.length === 0) side.worker.unref()
  }

  /** With nothing to do here. */
  #waitFor(side: Side): void {
    if (side.isWaitedFor) return
    side.isWaitedFor = true
    const { memory, given } = side
    void memory.whenAnswered(side.asked - given.length).then(() => {
      side.isWaitedFor = false
      if (this.#side !== side) return
      this.#take(side)
      this.#comeToTurn()
    })
  }

  #startIfWorthwhile(): Side | undefined {
    if (this.#isClosed || this.#companyTurns < companyTurnsMin) return undefined
    const memory = new SideMemory()
    const entry = programModule('platform/real/threads/side-entry')
    const worker = new Worker(entry, { workerData: { parts: memory.parts, module: this.#module.href } })
    const side: Side = { worker, memory, given: [], asked: 0, isReady: false, isWaitedFor: false }
    worker.on('message', () => (side.isReady = true))
    worker.on('error', () => this.#lose(side))
    worker.on('exit', () => this.#lose(side))
    worker.unref()
    this.#side = side
    this.#idle = setTimeout(() => void this.#end(), idleMsMax).unref()
    return side
  }

  async #end(): Promise<void> {
    const side = this.#side
    if (side === undefined) return
    this.#lose(side)
    await side.worker.terminate()
  }

  #lose(side: Side): void {
    if (this.#side !== side) return
    this.#side = undefined
    this.#companyTurns = 0
    clearTimeout(this.#idle)
    for (const asked of side.given.splice(0)) doHere(asked)
  }
}

function doHere({ task, resolve, reject }: Asked): void {
  try {
    resolve(task.here())
  } catch (error) {
    reject(error)
  }
}
