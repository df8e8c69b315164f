// One peer of the demo: a process of its own with a home of its own, that can be killed and started again.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PolyhistorError } from '../errors.ts'
import { programModule } from '../platform/program-files.ts'

type PeerState = 'starting' | 'running' | 'down'

const preload = programModule('demo/end-with-parent').href
const main = programModule('cli/main')
/** The program itself, not what starts it: that may become another process, which does not end with this one. */
const program = [...process.execArgv, fileURLToPath(main)]
const upMsMax = 120_000
const askMsMax = 5_000
const logKept = 4_000

/** What a command printed. */
export async function runCommand(words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [...program, ...words])).stdout
}

export class DemoPeer {
  readonly name: string
  readonly home: string
  readonly #words: readonly string[]
  #child: ChildProcess | undefined
  #url: string | undefined
  #id = ''
  #log = ''

  constructor(name: string, home: string, words: readonly string[]) {
    this.name = name
    this.home = home
    this.#words = words
  }

  get state(): PeerState {
    if (this.#child === undefined) return 'down'
    return this.#url === undefined ? 'starting' : 'running'
  }

  /** Where it answers; undefined while it does not. */
  get url(): string | undefined {
    return this.#url
  }

  /** Its name on the ring; empty before it was up for the first time. */
  get id(): string {
    return this.#id
  }

  /** Resolves when it answers. */
  async start(joining: readonly string[]): Promise<void> {
    if (this.#child !== undefined) return
    const words = [
      '--import',
      preload,
      ...program,
      'peer',
      '--home',
      this.home,
      '--http',
      'localhost:0',
      '--json',
    ]
    const child = spawn(process.execPath, [...words, ...this.#words, ...joining], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#child = child
    child.once('exit', () => {
      if (this.#child === child) this.#child = this.#url = undefined
    })
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-logKept)
    })
    const url = await this.#firstLine(child)
    const { peer } = await this.#ask<{ peer: string }>(url, '/api/v1/ring')
    if (this.#child !== child) return
    this.#id = peer
    this.#url = url
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** With all that it kept. */
  async wipe(): Promise<void> {
    await this.kill()
    for (const part of ['store', 'crawl']) await rm(join(this.home, part), { recursive: true, force: true })
  }

  /** What others join it by. */
  async addresses(): Promise<string[]> {
    if (this.#url === undefined) return []
    return (await this.ask<{ addresses: string[] }>('/api/v1/ring')).addresses
  }

  ask<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#ask(this.#mustRun(), path, signal)
  }

  async post<T>(path: string, body: object): Promise<T> {
    const token = (await readFile(join(this.home, 'token'), 'utf8')).trim()
    const response = await fetch(this.#mustRun() + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(askMsMax),
    })
    if (!response.ok) throw new PolyhistorError('demo-peer-refused', `${this.name}: ${await response.text()}`)
    return (await response.json()) as T
  }

  async #ask<T>(url: string, path: string, signal?: AbortSignal): Promise<T> {
    const limit = AbortSignal.timeout(askMsMax)
    const response = await fetch(url + path, {
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    if (!response.ok)
      throw new PolyhistorError('demo-peer-refused', `${this.name}: ${response.status} to ${path}`)
    return (await response.json()) as T
  }

  #mustRun(): string {
    if (this.#url === undefined) throw new PolyhistorError('demo-peer-down', `${this.name} does not run.`)
    return this.#url
  }

  async #firstLine(child: ChildProcess): Promise<string> {
    let output = ''
    return new Promise<string>((resolve, reject) => {
      const fail = (why: string) =>
        reject(new PolyhistorError('demo-peer-not-up', `${this.name} ${why}. It said:\n${this.#log}`))
      const timer = setTimeout(() => fail('was not up in two minutes'), upMsMax)
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        if (output.includes('\n')) return
        output += text
        if (!output.includes('\n')) return
        clearTimeout(timer)
        resolve((JSON.parse(output.slice(0, output.indexOf('\n'))) as { url: string }).url)
      })
      child.once('exit', (code) => {
        clearTimeout(timer)
        fail(`ended with ${code}`)
      })
      child.once('error', (error) => fail(error.message))
    })
  }
}
