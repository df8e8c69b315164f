// Keeps the import rule of ARCHITECTURE.md, and the documents' links.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { describe, test } from 'vitest'
import { exitCodes } from '../src/cli/exit-codes.ts'
import { root } from './command.ts'

const sources = globSync('src/**/*.ts', { cwd: root }).filter(
  (file) => !/\.(test|fuzz|contract)\.ts$|fixtures/.test(file),
)

/** The joints put the parts together: files right under src/, and those of the running peer. */
const joint = /^src\/(peer\/([^/]+\/)?)?[^/]+\.ts$/

/** Who may import what, beyond itself, record/, world/ interfaces and errors.ts. */
const allowedMore: Record<string, RegExp> = {
  cli: new RegExp(`${joint.source}|^src/(configuration|world/real)/`),
}

function mayImport(file: string, target: string): boolean {
  if (joint.test(file)) return !target.startsWith('src/cli/')
  const folder = file.split('/')[1]!
  if (target.startsWith(`src/${folder}/`) || target === 'src/errors.ts') return true
  if (target.startsWith('src/record/')) return true
  if (/^src\/world\/[^/]+\.ts$/.test(target)) return folder !== 'record'
  return allowedMore[folder]?.test(target) ?? false
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
    normalize(join(dirname(file), match[1]!)),
  )
}

/** Of the repository: also those that are not committed yet, and none that are gone. */
function filesLike(pattern: string): string[] {
  const options = ['--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', ['ls-files', ...options, pattern], { cwd: root }).toString()
  return listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
}

describe('the import rule', () => {
  test('every file imports only its own folder, record/, world/ interfaces and errors.ts', () => {
    const breaches = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} imports ${target}`),
    )
    assert.deepEqual(breaches, [])
  })

  test('time, chance, disk and sockets are reached through world/ only', () => {
    const doorkeepers = /^src\/(world|cli)\//
    const doors =
      /Date\.now\(|Math\.random\(|performance\.now\(|setTimeout\(|setInterval\(|from 'node:(fs|net|dns|http|https|tls|dgram|worker_threads)/
    const breaches = sources.filter(
      (file) =>
        !joint.test(file) && !doorkeepers.test(file) && doors.test(readFileSync(join(root, file), 'utf8')),
    )
    assert.deepEqual(breaches, [])
  })

  test('the rule itself can be broken', () => {
    assert.equal(mayImport('src/store/x.ts', 'src/crawl/y.ts'), false)
    assert.equal(mayImport('src/store/x.ts', 'src/world/real/disk.ts'), false)
    assert.equal(mayImport('src/record/x.ts', 'src/world/disk.ts'), false)
    assert.equal(mayImport('src/store/x.ts', 'src/peer/y.ts'), false)
    assert.equal(mayImport('src/store/x.ts', 'src/peer.ts'), false)
    assert.equal(mayImport('src/cli/x.ts', 'src/store/y.ts'), false)
    assert.equal(mayImport('src/peer/x.ts', 'src/cli/y.ts'), false)
    assert.equal(mayImport('src/peer/x.ts', 'src/store/y.ts'), true)
    assert.equal(mayImport('src/store/x.ts', 'src/record/url.ts'), true)
    assert.ok(importsOf('src/cli/commands/url.ts').includes('src/record/url.ts'))
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
    const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| `src\/(\w+)\/`/gm)
    const folders = new Set(
      sources.filter((file) => file.split('/').length > 2).map((file) => file.split('/')[1]!),
    )
    assert.deepEqual([...map].map((row) => row[1]!).sort(), [...folders].sort())
  })

  test('README.md lists every exit code, and no other', () => {
    const table = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^\| (\d+) \| /gm)
    const listed = [...table].map((row) => Number(row[1]))
    assert.deepEqual(listed, Object.values(exitCodes))
  })

  test('docs/dependencies.md says why of every dependency', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
    const names = Object.keys({ ...dependencies, ...devDependencies })
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
