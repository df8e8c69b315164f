// A peer in one of the places of a world of routers, as its owner runs and asks it there.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RingPeerView } from '../../src/app/ring/ring-peer.ts'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import type { Place, RouterWorld } from './router-world.ts'

const upMsMax = 180_000

export class RoutedPeer {
  readonly place: Place
  readonly home: string
  readonly #world: RouterWorld
  #child: ChildProcess | undefined
  #url = ''
  log = ''

  constructor(world: RouterWorld, place: Place, home: string) {
    this.#world = world
    this.place = place
    this.home = home
  }

  async start(words: readonly string[]): Promise<void> {
    const [file, ...before] = this.#world.prefix(this.place)
    const common = ['--home', this.home, '--http', 'localhost:0', '--set', 'ring.mdns=no', '--json']
    const command = join(import.meta.dirname, '..', '..', 'bin', 'polyhistor')
    const child = spawn(file!, [...before, command, 'peer', ...common, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = watched(child, this.home)
    child.stderr.setEncoding('utf8').on('data', (text) => (this.log = (this.log + text).slice(-20_000)))
    this.#url = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.place} is not up in time: ${this.log}`)),
        upMsMax,
      )
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text
        const line = /^(\{.*\})\n/.exec(output)
        if (line === null) return
        clearTimeout(timer)
        resolve(JSON.parse(line[1]!).url)
      })
      child.once('exit', (code) => reject(new Error(`${this.place} ended with ${code}: ${this.log}`)))
    })
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }

  view(): Promise<RingPeerView> {
    return this.ask('/api/v1/ring')
  }

  async ask<T>(path: string, body?: object): Promise<T> {
    return JSON.parse(await this.text(path, body)) as T
  }

  async text(path: string, body?: object): Promise<string> {
    const token = (await readFile(join(this.home, 'token'), 'utf8')).trim()
    const said = await this.#world.ask(this.place, {
      kind: 'fetch',
      url: this.#url + path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    if ('status' in said && said.status < 300) return said.text
    throw new Error(`${this.place} answered ${JSON.stringify(said).slice(0, 500)} to ${path}`)
  }
}
