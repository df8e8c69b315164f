// Paths in the tree of a simulated disk: what lies there, or the failure that a real disk would give.

import assert from 'node:assert/strict'
import { DiskError, type DiskErrorCode } from '../storage/disk.ts'
import type { FolderNode, FolderTree, Place, TreeNode } from './folder-tree.ts'

export function namesOf(path: string): string[] {
  assert(path.startsWith('/'), `not an absolute path: ${path}`)
  return path.split('/').filter((name) => name !== '')
}

export function lookUp(tree: FolderTree, path: string): TreeNode | 'through-a-file' | undefined {
  let node: TreeNode = tree.root
  for (const name of namesOf(path)) {
    if (node.kind === 'file') return 'through-a-file'
    const next = node.names.get(name)
    if (next === undefined) return undefined
    node = next
  }
  return node
}

// `asked` is the path that the operation was given, which its failure names.
export function existing(tree: FolderTree, path: string, asked = path): TreeNode {
  const node = lookUp(tree, path)
  if (node === undefined) throw fail('disk-not-found', asked, 'it does not exist')
  if (node === 'through-a-file') throw throughFile(asked)
  return node
}

export function existingFolder(tree: FolderTree, path: string, asked = path): FolderNode {
  const node = existing(tree, path, asked)
  if (node.kind === 'file') throw throughFile(asked)
  return node
}

export function parentOf(tree: FolderTree, path: string, asked = path): { folder: FolderNode; name: string } {
  const names = namesOf(path)
  const folder = existingFolder(tree, `/${names.slice(0, -1).join('/')}`, asked)
  return { folder, name: names.at(-1) ?? '' }
}

export function placeOf(tree: FolderTree, path: string): Place {
  const { folder, name } = parentOf(tree, path)
  const node = folder.names.get(name)
  if (node === undefined) throw fail('disk-not-found', path, 'it does not exist')
  return { folder, name, node }
}

export function isInside(path: string, folder: string): boolean {
  return `/${namesOf(path).join('/')}`.startsWith(`/${namesOf(folder).join('/')}/`)
}

export function fail(code: DiskErrorCode, path: string, reason: string): DiskError {
  return new DiskError(code, path, `Simulated disk, ${path}: ${reason}.`)
}

export function throughFile(path: string): DiskError {
  return fail('disk-failure', path, 'a file is where a folder should be')
}
