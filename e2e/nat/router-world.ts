// A small internet in network namespaces of this machine: one machine outside, and two behind a router each, which translates addresses
// (nftables, masquerade) and lets nothing in that was not asked for from within, as routers of homes do.
//
//   outside 203.0.113.1 ── a bridge ── router 203.0.113.10 ── left  192.168.1.2
//                                  └── router 203.0.113.20 ── right 192.168.2.2
//
// Needs the rights of root, `ip`, and `nft` or Python: `missingRights` says what lacks.

import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import { root } from '../command.ts'
import type { AgentAnswer, AgentQuestion } from './namespace-agent.ts'

const run = promisify(execFile)
const sides = ['left', 'right'] as const
const places = ['outside', ...sides] as const
export type Place = (typeof places)[number]
export const outsideAddress = '203.0.113.1'
/** Of the web that is crawled. */
export const webHosts = ['203.0.113.31', '203.0.113.32', '203.0.113.33']
const answerMsMax = 60_000

const rules = `table ip nat {
  chain post {
    type nat hook postrouting priority 100
    oifname "ext" masquerade
  }
}
table ip filter {
  chain input {
    type filter hook input priority 0
    iifname "ext" ct state new drop
  }
  chain forward {
    type filter hook forward priority 0
    iifname "ext" ct state new drop
  }
}
`

/** Why such a world cannot be made here; undefined when it can. */
export async function missingRights(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'network namespaces are there on Linux only'
  const probe = `phprobe${process.pid}`
  try {
    await run('ip', ['netns', 'add', probe])
  } catch (error) {
    return `no network namespace can be made: ${(error as Error).message.split('\n').at(-2)}`
  }
  try {
    await load(probe)
    return undefined
  } catch (error) {
    return `nftables cannot be used: ${(error as Error).message}`
  } finally {
    await run('ip', ['netns', 'del', probe]).catch(() => {})
  }
}

/** The rules of a router: by `nft`, or by a script that tells the kernel the same. */
async function load(namespace: string): Promise<void> {
  const hasNft = await run('nft', ['--version']).then(
    () => true,
    () => false,
  )
  const command = hasNft ? ['nft', '-f', '-'] : ['python3', join(import.meta.dirname, 'masquerade.py')]
  const child = spawn('ip', ['netns', 'exec', namespace, ...command], { stdio: ['pipe', 'ignore', 'pipe'] })
  let told = ''
  child.stderr.on('data', (bytes) => (told += bytes))
  child.stdin.on('error', () => {})
  child.stdin.end(rules)
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(told.trim() || `${command[0]} ended with ${code}`)
}

export class RouterWorld {
  readonly #name: string
  readonly #agents = new Map<Place, Agent>()

  private constructor(name: string) {
    this.#name = name
  }

  static async start(name: string): Promise<RouterWorld> {
    const world = new RouterWorld(`ph${name}${process.pid}`)
    try {
      await world.#make()
    } catch (error) {
      await world.stop()
      throw error
    }
    return world
  }

  /** Ends all that runs there, and takes it down. */
  async stop(): Promise<void> {
    for (const agent of this.#agents.values()) agent.stop()
    for (const space of this.#spaces()) {
      const { stdout } = await run('ip', ['netns', 'pids', space]).catch(() => ({ stdout: '' }))
      for (const pid of stdout.split('\n').filter(Boolean)) {
        try {
          process.kill(Number(pid), 'SIGKILL')
        } catch {
          // It has ended by itself.
        }
      }
      await run('ip', ['netns', 'del', space]).catch(() => {})
    }
  }

  /** The command before one that is to run there. */
  prefix(place: Place): string[] {
    return ['ip', 'netns', 'exec', this.#space(place)]
  }

  async polyhistor(place: Place, words: readonly string[]): Promise<string> {
    const [file, ...before] = this.prefix(place)
    const running = run(file!, [...before, join(root, 'bin', 'polyhistor'), ...words])
    watched(running.child)
    const { stdout } = await running.catch(answeredNo)
    return stdout
  }

  ask(place: Place, question: AgentQuestion): Promise<AgentAnswer> {
    return this.#agents.get(place)!.ask(question)
  }

  /** The machine at this side gets another address, as from a router that was started anew. */
  async move(side: (typeof sides)[number], last: number): Promise<void> {
    const net = sides.indexOf(side) + 1
    const router = this.#space(`router-${side}`)
    await run('ip', ['-n', router, 'addr', 'flush', 'dev', 'ext'])
    await run('ip', ['-n', router, 'addr', 'add', `203.0.113.${net}${last}/24`, 'dev', 'ext'])
  }

  #space(name: string): string {
    return `${this.#name}-${name}`
  }

  #spaces(): string[] {
    return [...places, ...sides.map((side) => `router-${side}`)].map((name) => this.#space(name))
  }

  async #make(): Promise<void> {
    const ip = (...words: string[]) => run('ip', words)
    const within = (name: string, ...words: string[]) => ip('-n', this.#space(name), ...words)
    for (const space of this.#spaces()) {
      await ip('netns', 'add', space)
      await ip('-n', space, 'link', 'set', 'lo', 'up')
    }
    await within('outside', 'link', 'add', 'bridge', 'type', 'bridge')
    await within('outside', 'link', 'set', 'bridge', 'up')
    for (const host of [outsideAddress, ...webHosts])
      await within('outside', 'addr', 'add', `${host}/24`, 'dev', 'bridge')
    for (const [at, side] of sides.entries()) {
      const router = `router-${side}`
      const [net, port] = [at + 1, `to${at}`]
      const peer = (name: string, place: string) => ['peer', 'name', name, 'netns', this.#space(place)]
      const link = (name: string) => [
        'link',
        'add',
        'name',
        name,
        'netns',
        this.#space(router),
        'type',
        'veth',
      ]
      await ip(...link('ext'), ...peer(port, 'outside'))
      await within('outside', 'link', 'set', port, 'master', 'bridge')
      await within('outside', 'link', 'set', port, 'up')
      await within(router, 'addr', 'add', `203.0.113.${net}0/24`, 'dev', 'ext')
      await within(router, 'link', 'set', 'ext', 'up')
      await ip(...link('int'), ...peer('eth0', side))
      await within(router, 'addr', 'add', `192.168.${net}.1/24`, 'dev', 'int')
      await within(router, 'link', 'set', 'int', 'up')
      await within(side, 'addr', 'add', `192.168.${net}.2/24`, 'dev', 'eth0')
      await within(side, 'link', 'set', 'eth0', 'up')
      await within(side, 'route', 'add', 'default', 'via', `192.168.${net}.1`)
      await ip('netns', 'exec', this.#space(router), 'sysctl', '-qw', 'net.ipv4.ip_forward=1')
      await load(this.#space(router))
    }
    for (const place of places) this.#agents.set(place, new Agent(this.prefix(place)))
  }
}

/** A process in a namespace that does what it is asked. */
class Agent {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (said: AgentAnswer) => void>()
  #last = 0

  constructor(prefix: readonly string[]) {
    const [file, ...before] = prefix
    this.#child = watched(
      fork(join(import.meta.dirname, 'namespace-agent.ts'), [], {
        execPath: file!,
        execArgv: [...before, process.execPath],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    )
    this.#child.on('message', ({ id, said }: { id: number; said: AgentAnswer }) => {
      this.#waiting.get(id)?.(said)
      this.#waiting.delete(id)
    })
  }

  ask(question: AgentQuestion): Promise<AgentAnswer> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`No answer to ${question.kind}`)), answerMsMax)
      this.#waiting.set(id, (said) => {
        clearTimeout(timer)
        resolve(said)
      })
      this.#child.send({ id, question })
    })
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }
}

/** Exit code 1: the command worked, and its answer is no. */
function answeredNo(error: { code?: unknown; stdout?: string }): { stdout: string } {
  if (error.code !== 1 || error.stdout === undefined) throw error
  return { stdout: error.stdout }
}
