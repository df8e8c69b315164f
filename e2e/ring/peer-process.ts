// One `polyhistor peer` as a person would run it, asked over its own interface.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RingPeerView } from '../../src/app/ring/ring-peer.ts'
import type { LookupResult } from '../../src/network/ring/ring.ts'
import { watched } from '../../src/platform/fixtures/child-processes.ts'

export interface PeerWords {
  readonly home: string
  readonly words: string[]
  /** This tree's unless told. */
  readonly program?: string | undefined
  /** Told what it logs, as it comes. */
  readonly onLog?: (text: string) => void
}

const command = join(import.meta.dirname, '..', '..', 'bin', 'polyhistor')

/** A command that ends by itself, with what it printed. */
export async function runWords(words: string[], program = command): Promise<string> {
  const running = promisify(execFile)(program, words)
  watched(running.child)
  return (await running).stdout
}

/** A busy machine takes many times as long as a quiet one. */
const upMsMax = 180_000
const askMsMax = 120_000
const refusalsMax = 10

export class PeerProcess {
  readonly home: string
  readonly #words: string[]
  readonly #program: string
  readonly #onLog: ((text: string) => void) | undefined
  #child: ChildProcess | undefined
  #url = ''
  #log = ''

  constructor({ home, words, onLog, program = command }: PeerWords) {
    this.home = home
    this.#words = words
    this.#program = program
    this.#onLog = onLog
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** How it ended and what it said last, for failures. */
  get ending(): string {
    const how = this.#child?.signalCode ?? this.#child?.exitCode
    return `ended with ${how}: ${this.#log.slice(-1_000)}`
  }

  /** Where it answers. */
  get url(): string {
    return this.#url
  }

  /** What it has logged, for failures. */
  get log(): string {
    return this.#log
  }

  /** Resolves when it answers. Rejects when it ends before that. `onProcess` is told its number before it does anything. */
  async start(onProcess: (pid: number) => void = () => {}): Promise<void> {
    const words = [
      'peer',
      '--home',
      this.home,
      '--http',
      'localhost:0',
      '--set',
      'ring.mdns=no',
      // A loaded machine may take long to close what is open.
      '--set',
      'peer.stopTime=200s',
      ...this.#words,
    ]
    const child = watched(spawn(this.#program, [...words, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] }))
    this.#child = child
    onProcess(this.pid)
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#log = (this.#log + text).slice(-20_000)
      this.#onLog?.(text)
    })
    this.#url = await new Promise<string>((resolve, reject) => {
      let output = ''
      const timer = setTimeout(() => reject(new Error(`not up in time: ${this.#log}`)), upMsMax)
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text
        const line = /^(\{.*\})\n/.exec(output)
        if (!line) return
        clearTimeout(timer)
        resolve(JSON.parse(line[1]!).url)
      })
      // Not 'exit': what it said last may come after that.
      child.once('close', (code) => {
        clearTimeout(timer)
        reject(new Error(`ended with ${code}: ${this.#log}`))
      })
    })
  }

  /** For a peer that the others refuse: gives how it ended by itself, with what it said. One that was up before it heard their answer, as
   * on a busy machine, goes on alone: it is started again. */
  async startRefused(): Promise<string> {
    for (let attempt = 0; attempt < refusalsMax; attempt++) {
      const ending = await this.start().then(
        () => undefined,
        ({ message }: Error) => message,
      )
      if (ending !== undefined && !this.isRunning) return ending
      await this.end('SIGKILL')
    }
    throw new Error(`It was not refused: ${this.#log}`)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** Ends it in this way, and gives the exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child
    if (child === undefined || !this.isRunning) return child?.exitCode ?? null
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill('SIGCONT')
    child.kill(signal)
    return ended
  }

  view(): Promise<RingPeerView> {
    return this.#get('/api/v1/ring')
  }

  lookup(key: string): Promise<LookupResult> {
    return this.#get(`/api/v1/lookup?key=${key}`)
  }

  async memoryBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(this.#url + path, { signal: AbortSignal.timeout(askMsMax) })
    const body = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`)
    return JSON.parse(body) as T
  }
}
