import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, test } from 'vitest'
import { root, runCommand, temporaryFolder } from './command.ts'

const minutesMs = 60_000

describe('a bare clone', () => {
  test('sets itself up from the lock file at the first command, also when two come at once', {
    timeout: 10 * minutesMs,
  }, async () => {
    const clone = await temporaryFolder()
    await copyTrackedFiles(clone)
    const command = join(clone, 'bin', 'polyhistor')
    const [one, other] = await Promise.all([
      runCommand(command, ['url', '--json', 'example.com']),
      runCommand(command, ['url', '--json', 'example.com']),
    ])
    for (const { code, output } of [one, other]) {
      assert.equal(code, 0, one.errors + other.errors)
      assert.equal(JSON.parse(output).surt, 'com,example)/')
    }
    const saidBy = [one, other].filter(({ errors }) => /installing dependencies/.test(errors))
    assert.equal(saidBy.length, 1)

    const again = await runCommand('npm', ['start', '--silent', '--', 'url', '--json', 'example.com'], {
      folder: clone,
    })
    assert.deepEqual([again.code, again.errors], [0, ''])
  })
})

describe('the npm package', () => {
  test('installed in an empty folder, has a working command, and its library does what its page shows', {
    timeout: 10 * minutesMs,
  }, async () => {
    const folder = await temporaryFolder()
    const packed = await runCommand('npm', ['pack', '--pack-destination', folder], { folder: root })
    assert.equal(packed.code, 0, packed.errors)
    const [tarball] = await readdir(folder)
    const project = join(folder, 'project')
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{}')
    const installed = await runCommand('npm', ['install', '--omit=dev', join(folder, tarball!)], {
      folder: project,
    })
    assert.equal(installed.code, 0, installed.errors)

    const command = join(project, 'node_modules', '.bin', 'polyhistor')
    const { code, output, errors } = await runCommand(command, ['url', '--json', 'example.com'], { folder })
    assert.deepEqual([code, errors], [0, ''])
    assert.equal(JSON.parse(output).site, 'example.com')
    await understandsUrls(command, folder)
    await crawlsPage(command, join(folder, 'home'))

    const example = /```js\n([\s\S]*?)```/.exec(await readFile(join(root, 'docs/store.md'), 'utf8'))![1]!
    const file = join(project, 'example.mjs')
    await writeFile(file, example.replace('/srv/archive', join(folder, 'archive')))
    const run = await runCommand(process.execPath, [file])
    assert.deepEqual([run.code, run.errors], [0, ''])
    assert.match(run.output, /^kept full\n<h1>Hello<\/h1>sha256:[0-9a-f]{64}\n$/)
  })

  test('tells a Node that is too old in one sentence', async () => {
    const folder = await temporaryFolder()
    const pretence = join(folder, 'pretend-old.cjs')
    await writeFile(pretence, `Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } })`)
    const launcher = join(root, 'bin', 'polyhistor.cjs')
    const { code, output, errors } = await runCommand(process.execPath, ['-r', pretence, launcher, 'config'])
    assert.deepEqual([code, output], [69, ''])
    assert.match(errors, /^polyhistor needs Node\.js 24 or newer, and this is 18\.20\.4 \(.+\)\. [^\n]+\n$/)
  })
})

/** As the sources do: in the package this command is a file by itself, with a list of public suffixes of its own. */
async function understandsUrls(command: string, folder: string): Promise<void> {
  const hosts = [
    'www.example.co.uk',
    'a.b.kawasaki.jp',
    'alice.github.io',
    'bücher.example',
    '[::1]',
    'no host',
  ]
  for (const words of [hosts, ['--json', ...hosts], ['--home', folder, ...hosts]]) {
    const own = await runCommand(command, ['url', ...words], { folder })
    assert.deepEqual(own, await runCommand(join(root, 'bin', 'polyhistor'), ['url', ...words], { folder }))
    assert.equal(own.code, 1)
  }
}

/** With the threads that read pages: their modules lie where the program looks for them. */
async function crawlsPage(command: string, home: string): Promise<void> {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>One page</title>'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const words = ['crawl', url, '--home', home, '--scope', 'page', '--allow-address', '127.0.0.0/8']
    const { code, errors } = await runCommand(command, [...words, '--delay', '0', '--ignore-robots'])
    assert.equal(code, 0, errors)
    const got = await runCommand(command, ['get', url, '--home', home])
    assert.match(got.output, /<title>One page<\/title>/, got.errors)
  } finally {
    server.close()
  }
}

/** What git would clone, with the changes of the working tree. */
async function copyTrackedFiles(to: string): Promise<void> {
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  for (const name of names.toString().split('\0').filter(Boolean)) {
    await mkdir(dirname(join(to, name)), { recursive: true })
    await cp(join(root, name), join(to, name), { verbatimSymlinks: true }).catch((error) => {
      if (error.code !== 'ENOENT') throw error // Deleted in the working tree.
    })
  }
}
