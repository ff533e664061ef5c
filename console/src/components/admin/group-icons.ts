/** Stroke paths of the icons of page groups, on the grid of `Icon`. */
export const GROUP_ICONS = {
  group_usage: 'M4 20h16M7 16v-5M12 16V5M17 16V9',
  group_money: 'M12 3a9 9 0 100 18 9 9 0 000-18zM15 9c-1-2-6-2-6 0s6 1 6 4-5 2-6 0M12 6v12',
  group_people:
    'M9 5a3.500 3.500 0 100 7 3.500 3.500 0 000-7zM2 20c0-4 3-5 7-5s7 1 7 5M16 5a3.500 3.500 0 010 7M18 15c3 0 4 2 4 5',
  group_models: 'M5 9h14v10H5zM12 9V5M12 4v.01M9 13v2M15 13v2M2 12v4M22 12v4',
  group_service: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
} as const;
