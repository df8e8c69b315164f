import { lazy, Suspense, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Link, Route, Routes } from 'react-router'
import './style.css'

const Book = lazy(() => import('./book.jsx'))

function List() {
  const [books, setBooks] = useState([])
  useEffect(() => {
    fetch('/api/books.json', { headers: { Accept: 'application/json' } })
      .then((response) => response.json())
      .then(setBooks)
  }, [])
  return (
    <ul className="shelf" data-count={books.length}>
      {books.map(({ id, title }) => (
        <li key={id}>
          <Link to={`/books/${id}`}>
            <img src={`/covers/${id}.svg`} alt="" width="160" height="120" />
            {title}
          </Link>
        </li>
      ))}
    </ul>
  )
}

createRoot(document.getElementById('root')).render(
  <BrowserRouter>
    <header>
      <Link to="/">Books</Link>
    </header>
    <Suspense fallback={<p>Loading</p>}>
      <Routes>
        <Route path="/" element={<List />} />
        <Route path="/books/:id" element={<Book />} />
      </Routes>
    </Suspense>
  </BrowserRouter>,
)
