// Runs every command and API call that the documentation shows, by a shell, against a real peer and a web on loopback.
//
// What stands in the documents is run as it is, but for the names of its hosts: example.com and its like are servers of this process, and
// localhost:7070 is its peer. What cannot be run here says why, in the source of the page: see scripts/docs/command-blocks.ts.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandBlocks } from '../../scripts/docs/command-blocks.ts'
import { firstLine, killed, removeFolder, watched } from '../../src/platform/fixtures/child-processes.ts'

const root = join(import.meta.dirname, '../..')
/** A loaded machine is many times slower than a quiet one: the limit only catches what hangs. */
const blockMsMax = 10 * 60_000

const pages: Readonly<Record<string, string>> = {
  '/': '<!doctype html><title>Example</title><p>A library with a garden of herbs, before the flood. <a href="/private">private</a>',
  '/private': '<!doctype html><title>Private</title><p>Not for everybody.',
  '/prices': '<!doctype html><title>Prices</title><p class="price">12</p>',
}

interface Shell {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

interface Run {
  /** The exit code, or why it was ended. */
  readonly ending: number | 'reached' | 'late' | null
  readonly said: string
}

/** Of the pages whose paths begin with one of these, or of all. Gives the exit code. */
export async function runDocsCommands(
  wanted: readonly string[],
  tell: (line: string) => void,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-docs-'))
  const [com, org] = [await origin('127.0.0.1'), await origin('127.0.0.2')]
  const shell = await preparedShell(folder, com.url.href)
  const words = ['--http', 'localhost:0', '--allow-address', '127.0.0.0/8', '--delay', '0', '--json', '-q']
  const peer = watched(
    spawn('polyhistor', ['peer', ...words], {
      cwd: folder,
      env: shell.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
    folder,
  )
  let failures = 0
  try {
    const address = new URL(JSON.parse(await firstLine(peer)).url as string)
    // Pages speak of what others archived before.
    for (const { url } of [com, org]) await mustRun(`polyhistor crawl ${url.href} -q`, shell)
    const watch = await mustRun(`polyhistor watch add ${org.url.origin}/prices --json`, shell)
    const watchId = JSON.parse(watch).id as string
    const adapted = (commands: string): string =>
      commands
        .replaceAll('localhost:7070', address.host)
        .replaceAll('localhost:7072', 'localhost:0')
        .replaceAll(/https?:\/\/(?:www\.)?example\.com/g, com.url.origin)
        .replaceAll(/https?:\/\/(?:www\.)?example\.org/g, org.url.origin)
        .replaceAll(/\b(?:www\.)?example\.com\b/g, com.url.hostname)
        .replaceAll(/\b(?:www\.)?example\.org\b/g, org.url.hostname)
        .replaceAll('/tmp/', `${folder}/`)
        .replaceAll('6415902f', watchId)

    const sources = globSync(['docs/*.md', 'docs/operating/*.md'], { cwd: root }).sort()
    for (const source of sources) {
      if (wanted.length > 0 && !wanted.some((start) => source.startsWith(start))) continue
      for (const block of commandBlocks(readFileSync(join(root, source), 'utf8'))) {
        const name = `${source}:${block.line}`
        if (block.notRun !== undefined) {
          tell(`not run  ${name}: ${block.notRun}`)
          continue
        }
        const commands = adapted(block.commands)
        const { ending, said } = await run(commands, shell, block.until)
        const isGood = ending === (block.until === undefined ? 0 : 'reached')
        if (!isGood) failures++
        tell(isGood ? `good     ${name}` : `FAILED   ${name}: ${ending}\n${commands}\n${said.slice(-2_000)}`)
      }
    }
  } finally {
    await killed(peer)
    for (const { server } of [com, org]) server.close().closeAllConnections()
    await removeFolder(folder)
  }
  tell(failures === 0 ? 'All that is shown works.' : `${failures} failed.`)
  return failures === 0 ? 0 : 1
}

async function origin(address: string): Promise<{ readonly server: Server; readonly url: URL }> {
  const answer: RequestListener = ({ url = '', headers }, response) => {
    if (url === '/sitemap.xml') {
      const location = `<url><loc>http://${headers.host}/</loc></url>`
      response.setHeader('Content-Type', 'application/xml')
      response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${location}</urlset>`)
    } else if (Object.hasOwn(pages, url)) response.setHeader('Content-Type', 'text/html').end(pages[url])
    else response.writeHead(404).end()
  }
  const server = createServer(answer).listen(0, address)
  await once(server, 'listening')
  return { server, url: new URL(`http://${address}:${(server.address() as AddressInfo).port}`) }
}

/** A home of its own, `polyhistor` on the path, and the files that pages name. */
async function preparedShell(folder: string, bookmark: string): Promise<Shell> {
  const programs = join(folder, 'bin')
  await mkdir(programs)
  await symlink(join(root, 'bin', 'polyhistor'), join(programs, 'polyhistor'))
  await writeFile(
    join(folder, 'bookmarks.html'),
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="${bookmark}">A</A></DL>`,
  )
  const environment = {
    PATH: `${programs}:${process.env.PATH}`,
    HOME: folder,
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    POLYHISTOR_HOME: join(folder, '.polyhistor'),
  }
  return { folder, environment }
}

async function mustRun(commands: string, shell: Shell): Promise<string> {
  const { ending, said } = await run(commands, shell)
  if (ending !== 0) throw new Error(`${commands} ended with ${ending}: ${said}`)
  return said
}

/** In a process group of its own, so that nothing of it is left. */
async function run(commands: string, { folder, environment }: Shell, until?: string): Promise<Run> {
  const options = { cwd: folder, env: environment, detached: true } as const
  const child = watched(
    spawn('sh', ['-eu', '-c', commands], { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  let said = ''
  let ending: Run['ending'] | undefined
  const end = (why: 'reached' | 'late'): void => {
    ending ??= why
    endGroup(child)
  }
  const hear = (text: string): void => {
    said += text
    if (until !== undefined && said.includes(until)) end('reached')
  }
  child.stdout.setEncoding('utf8').on('data', hear)
  child.stderr.setEncoding('utf8').on('data', hear)
  const timer = setTimeout(() => end('late'), blockMsMax)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  endGroup(child)
  return { ending: ending ?? code, said }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGTERM')
  } catch {
    // It is over already.
  }
}
