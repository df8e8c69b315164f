// Builds dist/ for the npm package: the program bundled into few files, with the declarations of its types; the browser's side in
// dist/web and the documentation in dist/docs, as in a clone, and the browser extension beside them.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildExtension } from './build-extension.ts'
import { buildProgram } from './build-program.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
// The browser's side and the documentation stay: peers of this clone may be starting, and they are made anew when they are older
// than their sources.
const outdated = existsSync(dist) ? readdirSync(dist).filter((name) => name !== 'web' && name !== 'docs') : []
for (const name of outdated) rmSync(join(dist, name), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
await buildProgram()
// By which updates check every package that they install: npm leaves a package-lock.json out.
cpSync(join(root, 'package-lock.json'), join(root, 'dist/lock.json'))
// Scripts that replayed pages load as they are.
cpSync(join(root, 'src/replay/in-page'), join(root, 'dist/replay/in-page'), { recursive: true })
const pages = spawnSync('sh', ['bin/set-up'], { cwd: root, stdio: 'inherit' })
if (pages.status !== 0) process.exit(pages.status ?? 1)
await buildExtension()
