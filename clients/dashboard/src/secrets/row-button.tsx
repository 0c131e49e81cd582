import './row-button.css';

/** Drawn on a 16 × 16 grid. */
const icons = {
  reveal: 'M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  copy: 'M5.5 5.5v-4h9v9h-4M1.5 5.5h9v9h-9z',
  edit: 'M10.5 2.5l3 3L5 14H2v-3zM9 4l3 3',
  delete: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.600l.7-9',
  unstage: 'M5 3 2 6l3 3M2 6h7a4 4 0 0 1 0 8H6',
} as const;

export type RowIcon = keyof typeof icons;

interface RowButtonProps {
  icon: RowIcon;
  label: string;
  /** Tab only reaches the buttons of the current row. The arrow keys move between rows. */
  current: boolean;
  onClick: () => void;
}

export function RowButton({ icon, label, current, onClick }: RowButtonProps) {
  return (
    <button type="button" tabIndex={current ? 0 : -1} class="act" aria-label={label} title={label} onClick={onClick}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={icons[icon]} />
      </svg>
    </button>
  );
}
