import './mark.css';

/** A holdfast: the root by which kelp holds on to rock. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 3v26M16 12c-4.5-1-7-4-7-8M16 12c4.5-1 7-4 7-8M16 20c-6 0-10 3-10 9M16 20c6 0 10 3 10 9M16 22c-3 1-4 3-4 7M16 22c3 1 4 3 4 7" />
    </svg>
  );
}
