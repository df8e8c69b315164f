// Keeps the import rule of ARCHITECTURE.md and its picture, and the documents' links.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, test } from 'vitest'
import { architecturePicture } from '../scripts/architecture-picture.ts'
import { folderImports, folderOf, importsOf, layerOf, sources } from '../scripts/imports.ts'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { root } from './command.ts'

function mayImport(file: string, target: string): boolean {
  if (target === 'src/errors.ts' || target === 'src/version.ts' || folderOf(file) === folderOf(target))
    return true
  // It imports nothing, and tells where package.json is.
  if (file === 'src/version.ts') return target === 'src/platform/program-files.ts'
  // What is real or simulated comes in from above.
  if (/^src\/platform\/(real|simulated)\//.test(target)) return /^src\/(app|demo|cli)\//.test(file)
  return layerOf(target) !== -1 && layerOf(target) <= layerOf(file)
}

/** Folders of one layer that import each other, directly or by way of others. */
function circles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from) ?? [])].some((next) => {
      if (next === to) return true
      if (seen.has(next)) return false
      seen.add(next)
      return reaches(next, to, seen)
    })
  return [...edges.keys()]
    .filter((folder) => reaches(folder, folder))
    .map((folder) => [folder, ...edges.get(folder)!])
}

/** Of the repository: also those that are not committed yet, and none that are gone. */
function filesLike(pattern: string): string[] {
  const options = ['--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', ['ls-files', ...options, pattern], { cwd: root }).toString()
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
}

describe('the import rule', () => {
  test('every file imports only its own layer and lower ones', () => {
    const breaches = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} imports ${target}`),
    )
    assert.deepEqual(breaches, [])
  })

  test('folders do not import each other in a circle', () => {
    assert.deepEqual(circles(folderImports()), [])
  })

  test('no files lie right under src/ but those that every layer may use', () => {
    assert.deepEqual(sources.filter((file) => file.split('/').length === 2).sort(), [
      'src/errors.ts',
      'src/version.ts',
    ])
  })

  test('time, randomness, disk and sockets are reached through platform/ only', () => {
    // The client is a library for other programs, browsers among them: it has no platform of ours.
    const doorkeepers = /^src\/(platform|app|demo|cli|api\/client)\/|^src\/version\.ts$/
    const doors =
      /Date\.now\(|Math\.random\(|performance\.now\(|setTimeout\(|setInterval\(|from 'node:(fs|net|dns|http|https|tls|dgram|worker_threads)/
    const breaches = sources.filter(
      (file) => !doorkeepers.test(file) && doors.test(readFileSync(join(root, file), 'utf8')),
    )
    assert.deepEqual(breaches, [])
  })

  test('the rules themselves can be broken', () => {
    assert.equal(mayImport('src/store/x.ts', 'src/app/peer.ts'), false)
    assert.equal(mayImport('src/store/x.ts', 'src/platform/real/disk/disk.ts'), false)
    assert.equal(mayImport('src/model/x.ts', 'src/platform/storage/disk.ts'), false)
    assert.equal(mayImport('src/network/ring/x.ts', 'src/api/y.ts'), false)
    assert.equal(mayImport('src/app/x.ts', 'src/cli/y.ts'), false)
    assert.equal(mayImport('src/store/x.ts', 'src/model/url/url.ts'), true)
    assert.equal(mayImport('src/network/jobs/x.ts', 'src/crawl/crawl.ts'), true)
    assert.ok(importsOf('src/cli/commands/url.ts').includes('src/model/url/url.ts'))
    const edges = (pairs: [string, string][]) => new Map(pairs.map(([from, to]) => [from, new Set([to])]))
    assert.deepEqual(
      circles(
        edges([
          ['a', 'b'],
          ['b', 'c'],
        ]),
      ),
      [],
    )
    assert.equal(
      circles(
        edges([
          ['a', 'b'],
          ['b', 'c'],
          ['c', 'a'],
        ]),
      ).length,
      3,
    )
  })
})

describe('the documents', () => {
  const documents = filesLike('*.md')

  test.each(documents)('%s has no dead relative link', (document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map((match) => match[1]!)
    const dead = links.filter((link) => !existsSync(join(root, dirname(document), decodeURI(link))))
    assert.deepEqual(dead, [])
  })

  test('they and the comments name no source file and no decision that is not there', () => {
    const sourceFiles = new Set(filesLike('*.ts').map((file) => basename(file)))
    const decisions = filesLike('docs/decisions/*.md').map((file) => basename(file).slice(0, 4))
    const wrong = [...documents, ...filesLike('*.ts')].flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const prose = file.endsWith('.md') ? text : [...text.matchAll(/^ *(?:\/\/|\/?\*).*$/gm)].join('\n')
      const files = [...prose.matchAll(/(?<![\w.-])[a-z][a-z0-9]+(?:[-.][a-z0-9]+)*\.ts\b/g)].map(String)
      const numbers = [...prose.matchAll(/decisions?[ /](\d{4})/g)].map((match) => match[1]!)
      return [
        ...files.filter((name) => !sourceFiles.has(name)),
        ...numbers.filter((number) => !decisions.includes(number)),
      ].map((name) => `${file} names ${name}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('the map of ARCHITECTURE.md has every folder of src/, and no other', () => {
    const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
      /^\| `src\/([\w-]+(?:\/[\w-]+)?)\/`/gm,
    )
    const folders = new Set(sources.filter((file) => file.split('/').length > 2).map(folderOf))
    assert.deepEqual([...map].map((row) => row[1]!).sort(), [...folders].sort())
  })

  test('the picture of ARCHITECTURE.md is the one that the imports give', () => {
    const checkedIn = readFileSync(join(root, 'docs/images/architecture.svg'), 'utf8')
    const isDrawn = checkedIn === architecturePicture()
    assert.ok(isDrawn, 'the folders or their imports have changed: run node scripts/draw-architecture.ts')
  })

  test('the table of routes in ARCHITECTURE.md counts the files that each route links', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const routes = text.split(/^(?=\*\*\d+\. )/m).slice(1)
    const counted = routes.map((route) => {
      const steps = [...route.matchAll(/^\d+\. .*$/gm)].join('\n')
      return new Set([...steps.matchAll(/\]\((src\/[^)]+)\)/g)].map((link) => link[1])).size
    })
    const table = [...text.matchAll(/^\| \d+\. .+ \| (\d+) \|$/gm)].map((row) => Number(row[1]))
    assert.deepEqual(table, counted)
  })

  test('docs/commands.md lists every exit code, and no other', () => {
    const table = readFileSync(join(root, 'docs/commands.md'), 'utf8').matchAll(/^\| (\d+) \| /gm)
    const listed = [...table].map((row) => Number(row[1]))
    assert.deepEqual(listed, Object.values(exitCodes))
  })

  test('docs/dependencies.md says why of every dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    assert.deepEqual(
      names.filter((name) => !text.includes(`\`${name}\``)),
      [],
    )
    const described = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((row) => row[1]!)
    assert.deepEqual(
      described.filter((name) => !names.includes(name)),
      [],
    )
  })

  test('decisions are numbered without gaps, and have at most 300 words each', () => {
    const folder = join(root, 'docs/decisions')
    const decisions = globSync('[0-9]*.md', { cwd: folder }).sort()
    const numbers = decisions.map((_, index) => String(index + 1).padStart(4, '0'))
    assert.deepEqual(
      decisions.map((file) => file.slice(0, 4)),
      numbers,
    )
    const tooLong = decisions.filter((file) => {
      const [title, ...body] = readFileSync(join(folder, file), 'utf8').split('\n')
      assert.ok(title!.startsWith(`# ${file.slice(0, 4)} `), `${file} begins with its number and title`)
      const words = body
        .join(' ')
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}]/u.test(word))
      return words.length > 300
    })
    assert.deepEqual(tooLong, [])
  })

  test('every decision is listed in docs/decisions/README.md', () => {
    const folder = join(root, 'docs/decisions')
    const index = readFileSync(join(folder, 'README.md'), 'utf8')
    const decisions = globSync('[0-9]*.md', { cwd: folder })
    assert.deepEqual(
      decisions.filter((file) => !index.includes(relative('.', file))),
      [],
    )
  })

  test('the lock file names no download addresses', () => {
    assert.doesNotMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), /"resolved"/)
  })
})
