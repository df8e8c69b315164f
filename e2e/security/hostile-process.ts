// A hostile member of the network, in a process of its own: the program with hostile-hook.ts in it.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import type * as acts from './hostile-acts.ts'
import type { ActName, Order, Report } from './hostile-hook.ts'

type Given<Name extends ActName> = Parameters<(typeof acts)[Name]>[1]
type Result<Name extends ActName> = Awaited<ReturnType<(typeof acts)[Name]>>

const program = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
const hook = join(import.meta.dirname, 'hostile-hook.ts')
const upMsMax = 240_000

export interface HostilePlan {
  readonly home: string
  /** Of `polyhistor peer`. */
  readonly words: readonly string[]
  /** From its first moment. */
  readonly behaviour?: acts.Behaviour
}

export class HostileProcess {
  readonly home: string
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (report: Report) => void>()
  #lastId = 0
  #log = ''
  #url = ''

  private constructor(child: ChildProcess, home: string) {
    this.home = home
    this.#child = child
    child.stderr!.setEncoding('utf8').on('data', (text) => (this.#log = (this.#log + text).slice(-20_000)))
    child.on('message', (report: Report) => {
      this.#waiting.get(report.id)?.(report)
      this.#waiting.delete(report.id)
    })
    child.once('exit', (code) => {
      for (const [id, tell] of this.#waiting) tell({ id, error: `the hostile member ended with ${code}` })
    })
  }

  static async start({ home, words, behaviour }: HostilePlan): Promise<HostileProcess> {
    const all = ['peer', '--home', home, '--http', 'localhost:0', '--set', 'ring.mdns=no', ...words, '--json']
    const env = { ...process.env, ...(behaviour && { HOSTILE_BEHAVIOUR: behaviour }) }
    const child = watched(
      fork(program, all, { execArgv: ['--import', hook], env, serialization: 'advanced', silent: true }),
    )
    const hostile = new HostileProcess(child, home)
    await hostile.#up()
    return hostile
  }

  /** What it logged last, for failures. */
  get log(): string {
    return this.#log
  }

  get url(): string {
    return this.#url
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async do<Name extends ActName>(act: Name, given: Given<Name>): Promise<Result<Name>> {
    if (!this.isRunning) throw new Error(`The hostile member has ended: ${this.#log}`)
    const id = ++this.#lastId
    const reported = new Promise<Report>((resolve) => this.#waiting.set(id, resolve))
    this.#child.send({ id, act, given } satisfies Order)
    const { result, error } = await reported
    if (error !== undefined) throw new Error(`The hostile member failed at ${act}: ${error}`)
    return result as Result<Name>
  }

  meet(addresses: readonly string[]): Promise<PeerId[]> {
    return this.do('meet', addresses)
  }

  async end(): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }

  async #up(): Promise<void> {
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error(`The hostile member did not start: ${this.#log}`)
    })
    const told = new Promise<void>((resolve) => {
      let output = ''
      this.#child.stdout!.setEncoding('utf8').on('data', (text) => {
        output += text
        const line = /^(\{.*\})\n/.exec(output)
        if (line === null) return
        this.#url = (JSON.parse(line[1]!) as { url: string }).url
        resolve()
      })
    })
    ended.catch(() => {})
    await Promise.race([told, ended, timeUp()])
  }
}

async function timeUp(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, upMsMax).unref())
  throw new Error(`The hostile member was not up within ${upMsMax} ms`)
}
