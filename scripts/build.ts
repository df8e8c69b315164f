// Compiles src/ into dist/, for the npm package: Node does not strip types under node_modules. The browser's side is built
// into dist/web, as in a clone.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
// The browser's side stays: peers of this clone may be starting, and it is made anew when it is older than its sources.
const outdated = existsSync(dist) ? readdirSync(dist).filter((name) => name !== 'web') : []
for (const name of outdated) rmSync(join(dist, name), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
// Scripts that replayed pages load as they are.
cpSync(join(root, 'src/replay/in-page'), join(root, 'dist/replay/in-page'), { recursive: true })
const pages = spawnSync('sh', ['bin/set-up'], { cwd: root, stdio: 'inherit' })
process.exit(pages.status ?? 1)
