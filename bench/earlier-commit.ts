// An earlier commit checked out beside this tree, to be measured against it, and this tree built. The dependencies are those installed
// here.

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** `range` is a commit, to be measured against this tree, or two (`BEFORE..LATER`): what one piece of work cost when it was made. */
export async function withTrees(
  range: string,
  use: (before: string, now: string) => void | Promise<void>,
): Promise<void> {
  const [earlier = '', later] = range.split('..')
  await withCommit(earlier, (before) =>
    later === undefined ? use(before, root) : withCommit(later, (now) => use(before, now)),
  )
}

/** `use` is given its folder, which is gone afterwards. */
async function withCommit(commit: string, use: (tree: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'polyhistor-beside-'))
  const tree = join(folder, 'before')
  try {
    git('worktree', 'add', '--detach', tree, commit)
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    // Else bin/set-up would find other dependencies than its own, and install those into ours.
    cpSync(join(root, 'package-lock.json'), join(tree, 'package-lock.json'))
    if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(tree, 'dist'), { recursive: true })
    await use(tree)
  } finally {
    spawnSync('git', ['worktree', 'remove', '--force', tree], { cwd: root })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** This tree as its package has it: dist/ in a folder of its own, which is gone afterwards. */
export async function withBuilt(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'polyhistor-built-'))
  try {
    // With Vite, which the other benchmarks need not load.
    const { buildProgram } = await import('../scripts/build-program.ts')
    await buildProgram(join(folder, 'dist'))
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function git(...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status === 0) return
  console.error(`git ${args[0]} failed: ${stderr.trim()}`)
  process.exit(66)
}
