// Somebody else on the owner's machine, in a process of its own: another Unix user where that is possible. It has no token and no
// link, and tries everything that HTTP lets it try.
//
//   node neighbour.ts '{"url": …, "home": …, "secretFile": …, "user": 65534}'   → one line of JSON: what it got done
//
// Started as root it becomes that user first, so what it can read is what that user can.

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

export interface NeighbourOrder {
  readonly url: string
  readonly home: string
  /** What only the owner may read. */
  readonly secretFile: string
  readonly user: number
}

export interface NeighbourReport {
  /** Requests that were tried, by what they try. */
  readonly tried: Readonly<Record<NeighbourTry, number>>
  /** Those that succeeded, in words. */
  readonly done: Readonly<Record<NeighbourTry, string[]>>
}

export type NeighbourTry = 'writes' | 'files' | 'cookies' | 'forwarded' | 'hosts'

interface Said {
  readonly status: number
  readonly text: string
}

const order = JSON.parse(process.argv[2]!) as NeighbourOrder
const { port } = new URL(order.url)
const host = `localhost:${port}`
if (process.getuid?.() === 0) {
  process.setgroups!([])
  process.setgid!(order.user)
  process.setuid!(order.user)
}

const tried = { writes: 0, files: 0, cookies: 0, forwarded: 0, hosts: 0 }
const done: Record<NeighbourTry, string[]> = { writes: [], files: [], cookies: [], forwarded: [], hosts: [] }
const ours = { Host: host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }
const forwardings: Record<string, string>[] = [
  { 'CF-Connecting-IP': '192.0.2.1' },
  { 'True-Client-IP': '192.0.2.1' },
  { 'X-Forwarded-For': '192.0.2.1' },
  { 'X-Forwarded-Proto': 'https' },
  { 'X-Forwarded-Port': '443' },
  { 'X-Forwarded-Server': 'proxy' },
  { 'X-Real-IP': '192.0.2.1' },
  { Forwarded: 'for=192.0.2.1' },
  { Via: '1.1 proxy' },
  {},
]
const bodies: Record<string, object> = {
  '/api/v1/jobs': { seeds: ['http://127.9.9.9:9/neighbour'], scope: 'page' },
  '/api/v1/imports': { path: order.secretFile },
  '/api/v1/contents': { path: order.secretFile },
  '/api/v1/takedowns': { site: 'neighbour.test' },
  '/api/v1/admin/actions': { action: 'take-down', site: 'neighbour.test' },
  '/api/v1/network/forget': { peer: 'x'.repeat(20) },
}

/** Sends exactly these lines, and reads all of the answer. */
function say(
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
  body?: object,
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const type = text === '' ? [] : [['Content-Type', 'application/json'] as const]
    const all = [
      ...headers,
      ...type,
      ['Content-Length', String(Buffer.byteLength(text))],
      ['Connection', 'close'],
    ]
    const lines = all.map(([name, value]) => `${name}: ${value}`)
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`),
    )
    let answer = ''
    socket
      .setEncoding('utf8')
      .setTimeout(15_000, () => socket.destroy(new Error(`${method} ${path}: silence`)))
    socket.on('data', (more) => (answer += more))
    socket.on('error', reject)
    socket.on('close', () => resolve({ status: Number(answer.slice(9, 12)), text: answer }))
  })
}

function pairs(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers)
}

/** Every cookie that any page gives without being asked for more. */
async function cookiesFor(headers: Record<string, string>): Promise<string[]> {
  const found: string[] = []
  for (const path of ['/', '/jobs', '/save', '/api/v1/about']) {
    const { text } = await say('GET', path, pairs({ Host: host, Accept: 'text/html', ...headers }))
    for (const [, cookie] of text.matchAll(/^set-cookie: ([^;\r\n]+)/gim)) found.push(cookie!)
  }
  return [...new Set(found)]
}

interface Write {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
}

async function writesOf(): Promise<Write[]> {
  const { text } = await say('GET', '/api/v1/openapi.json', pairs({ Host: host }))
  const document = JSON.parse(
    text.slice(text.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, ''),
  ) as {
    paths: Record<string, Record<string, { security?: unknown }>>
  }
  const found: Write[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { security }] of Object.entries(methods)) {
      if (security === undefined && method === 'get') continue
      const named = path.replace(/\{\w+\}/g, 'x')
      found.push({
        method: method.toUpperCase(),
        path: named,
        body: method === 'get' ? undefined : (bodies[path] ?? {}),
      })
    }
  found.push(
    { method: 'POST', path: '/save', body: undefined },
    { method: 'POST', path: '/jobs/x', body: undefined },
    { method: 'GET', path: '/admin', body: undefined },
    { method: 'POST', path: '/admin/actions', body: undefined },
    { method: 'POST', path: '/admin/actions/1/undo', body: undefined },
  )
  // Leaving would end the victim: it is tried last.
  const isLeaving = ({ path }: Write): boolean => path.endsWith('/leave')
  return [...found.filter((write) => !isLeaving(write)), ...found.filter(isLeaving)]
}

/** It got past the door: what it was answered is not that it may not. */
function isLetIn({ status }: Said): boolean {
  return ![401, 403].includes(status)
}

async function tryWrites(
  kind: NeighbourTry,
  headers: Record<string, string>,
  writes: readonly Write[],
): Promise<void> {
  for (const { method, path, body } of writes) {
    tried[kind]++
    const said = await say(method, path, pairs({ ...ours, ...headers }), body)
    if (isLetIn(said)) done[kind].push(`${method} ${path} → ${said.status}`)
  }
}

async function main(): Promise<void> {
  const writes = await writesOf()
  const cookies = await cookiesFor({})
  tried.cookies += 4
  done.cookies.push(...cookies.map((cookie) => `was given ${cookie.slice(0, 30)}…`))
  const cookieHeader: Record<string, string> = cookies.length === 0 ? {} : { Cookie: cookies.join('; ') }
  await tryWrites('writes', cookieHeader, writes)
  for (const path of [order.secretFile, `${order.home}/token`, `${order.home}/identity.key`, '/etc/passwd']) {
    for (const route of ['/api/v1/contents', '/api/v1/imports']) {
      tried.files++
      const said = await say('POST', route, pairs({ ...ours, ...cookieHeader }), { path })
      if (isLetIn(said)) done.files.push(`${route} ${path} → ${said.status}`)
    }
  }
  for (const path of [
    order.secretFile,
    `${order.home}/token`,
    `${order.home}/identity.key`,
    `${order.home}/peer.json`,
  ]) {
    tried.files++
    try {
      readFileSync(path)
      done.files.push(`read ${path}`)
    } catch {
      // As it should be.
    }
  }
  for (const forwarding of forwardings) {
    tried.forwarded++
    const given = await cookiesFor(forwarding)
    done.forwarded.push(...given.map(() => `was given a cookie with ${JSON.stringify(forwarding)}`))
  }
  const jobs = writes.filter(({ path, method }) => path === '/api/v1/jobs' && method === 'POST')
  for (const forwarding of forwardings) await tryWrites('forwarded', { ...cookieHeader, ...forwarding }, jobs)
  for (const [first, second] of [
    [host, 'evil.test'],
    ['evil.test', host],
    [host, host],
  ] as const) {
    tried.hosts++
    const said = await say('GET', '/', [
      ['Host', first],
      ['Host', second],
    ])
    if (said.status !== 400) done.hosts.push(`Host: ${first} and Host: ${second} → ${said.status}`)
  }
  console.log(JSON.stringify({ tried, done } satisfies NeighbourReport))
}

await main()
